package dev.headgate.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class ChanceTest {

    private static final int DRAWS = 200_000;

    @Test
    void isOneOnAverage() {
        assertThat(mean(Chance.logNormal(0.8))).isCloseTo(1, within(0.01));
        assertThat(mean(Chance.bimodal(0.05, 20, 0.3))).isCloseTo(1, within(0.02));
        assertThat(mean(Chance.pareto(3))).isCloseTo(1, within(0.01));
        assertThat(mean(Chance.recorded(1, 2, 3, 10))).isCloseTo(1, within(0.01));
    }

    @Test
    void hasTwoModesSoFarApartAndOfSuchShares() {
        double[] draws = draws(Chance.bimodal(0.05, 20, 0));
        double fast = draws[0];
        double slow = draws[DRAWS - 1];
        assertThat(slow / fast).isCloseTo(20, within(1e-6));
        assertThat(Arrays.stream(draws).filter(each -> each == slow).count() / (double) DRAWS)
                .isCloseTo(0.05, within(0.003));
    }

    @Test
    void fallsByThePowerThatIsAskedFor() {
        double[] draws = draws(Chance.pareto(1.2));
        double median = draws[DRAWS / 2];
        assertThat(draws[DRAWS * 95 / 100] / median)
                .as("a tenth of what is above the median: 10 to the power 1/1.2")
                .isCloseTo(Math.pow(10, 1 / 1.2), Percentage.withPercentage(3));
        assertThat(draws[0]).as("the least is a sixth of the mean").isCloseTo(1 / 6.0, within(0.001));
    }

    @Test
    void drawsWhatWasRecordedInMultiplesOfItsMean() {
        assertThat(draws(Chance.recorded(1, 3))).containsOnly(0.5, 1.5);
    }

    private static double mean(Chance chance) {
        return Arrays.stream(draws(chance)).average().orElseThrow();
    }

    private static double[] draws(Chance chance) {
        SplittableRandom random = new SplittableRandom(1);
        double[] draws = new double[DRAWS];
        Arrays.setAll(draws, i -> chance.next(random));
        Arrays.sort(draws);
        return draws;
    }
}
