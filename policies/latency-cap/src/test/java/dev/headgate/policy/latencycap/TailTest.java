package dev.headgate.policy.latencycap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.simulator.Chance;
import dev.headgate.testkit.Durations;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TailTest {

    private static final int EACH = 100;

    private final SplittableRandom random = new SplittableRandom(1);
    private long now = -5_000_000_000L;

    @Test
    void bodyIsTheMeanOfTheFastestThreeQuarters() {
        long[] nanos = new long[100];
        for (int i = 0; i < 100; i++) {
            nanos[i] = i < 90 ? 10_000_000L : 900_000_000L;
        }
        Sample sample = new Sample(Durations.ofNanos(nanos));
        assertThat(sample.bodyNanos()).isCloseTo(10e6, Percentage.withPercentage(1));
        assertThat(sample.meanTimes()).isCloseTo((90 * 10 + 10 * 900) / 1_000.0, within(0.2));
    }

    @Test
    void learnsAPercentileWhateverTheLoad() {
        Tail tail = Tail.of(Statistic.P95);
        learn(tail, Chance.logNormal(0.8), 300);
        // in multiples of the mean of the lower three quarters, which is 0.65 of the mean
        assertThat(tail.ratio()).isCloseTo(2.48 / 0.65, Percentage.withPercentage(5));
        assertThat(tail.below(2)).isLessThan(tail.ratio());
        assertThat(tail.above(2)).isGreaterThan(tail.ratio()).isLessThan(1.15 * tail.ratio());
    }

    @ParameterizedTest
    @EnumSource(Statistic.class)
    void aCopyBelievesTheSameAndLearnsOnItsOwn(Statistic statistic) {
        Tail tail = Tail.of(statistic);
        learn(tail, Chance.logNormal(0.8), 50);
        Tail copy = tail.copy();
        assertThat(copy).usingRecursiveComparison().isEqualTo(tail);
        double before = tail.ratio();
        learn(copy, Chance.logNormal(1.4), 50);
        assertThat(tail.ratio()).isEqualTo(before).isNotEqualTo(copy.ratio());
    }

    @Test
    void doesNotKnowOnWhichSideOfAStepAPercentileIs() {
        Tail tail = Tail.of(Statistic.P95);
        learn(tail, Chance.bimodal(0.05, 20, 0.1), 100);
        assertThat(tail.below(1.5)).as("on the fast side").isLessThan(2);
        assertThat(tail.above(1.5)).as("on the slow side").isGreaterThan(10);
    }

    @Test
    void knowsItWhereItIsClearOfTheStep() {
        Tail fast = Tail.of(Statistic.P95);
        learn(fast, Chance.bimodal(0.03, 20, 0.1), 100);
        assertThat(fast.above(2)).isLessThan(2);
        Tail slow = Tail.of(Statistic.P95);
        learn(slow, Chance.bimodal(0.08, 20, 0.1), 100);
        assertThat(slow.below(2)).isGreaterThan(10);
    }

    @Test
    void learnsAnewWhenTheWorkChanges() {
        Tail tail = Tail.of(Statistic.P95);
        learn(tail, Chance.bimodal(0.02, 20, 0.1), 300);
        learn(tail, Chance.bimodal(0.2, 20, 0.1), 30);
        assertThat(tail.below(1.5)).as("after 30 of 330 measurements").isGreaterThan(10);
    }

    @Test
    void isNotSureOfAMeanWithAHeavyTail() {
        Tail even = Tail.of(Statistic.MEAN);
        learn(even, Chance.logNormal(0.5), 100);
        assertThat(even.above(1) / even.ratio()).isLessThan(1.02);
        Tail heavy = Tail.of(Statistic.MEAN);
        learn(heavy, Chance.pareto(1.2), 100);
        assertThat(heavy.above(1) / heavy.ratio()).isGreaterThan(1.05);
    }

    /** Of two thousand requests the share below the 95th percentile is off by 0.5 %: once in twenty times by 0.8 % or more. */
    @Test
    void chanceMovesAPercentileByItsRanks() {
        Tail tail = Tail.of(Statistic.P95);
        learn(tail, Chance.logNormal(0.8), 300);
        double sigma = Chance.sigma(0.8);
        double expected = Math.exp(sigma * (1.728 - 1.645)); // the normal quantiles of 95.8 % and 95 %
        assertThat(tail.chance(2_000, 1.65)).isCloseTo(expected, within(0.03));
        assertThat(tail.chance(200, 1.65)).isGreaterThan(tail.chance(2_000, 1.65));
    }

    /** As many requests are slow in all: one in ten by itself, or one in five of every other measurement. */
    @Test
    void requestsThatAreSlowTogetherLeaveMoreToChance() {
        Chance even = Chance.logNormal(0.3);
        Tail apart = Tail.of(Statistic.P95);
        learn(apart, random -> (random.nextInt(10) == 0 ? 3 : 1) * even.next(random), 300);
        Tail together = Tail.of(Statistic.P95);
        AtomicInteger draws = new AtomicInteger();
        learn(
                together,
                random -> {
                    int draw = draws.getAndIncrement();
                    return (draw / EACH % 2 == 0 && draw % 5 == 0 ? 3 : 1) * even.next(random);
                },
                300);
        assertThat(apart.chance(900, 1.65)).isLessThan(1.15);
        assertThat(together.chance(900, 1.65)).isGreaterThan(1.2 * apart.chance(900, 1.65));
        assertThat(together.above(2) / together.ratio()).isGreaterThan(apart.above(2) / apart.ratio());
    }

    @Test
    void chanceMovesAMeanTheFurtherTheHeavierItsTailAndTheFewerTheRequests() {
        Tail even = Tail.of(Statistic.MEAN);
        learn(even, Chance.logNormal(0.5), 300);
        assertThat(even.chance(400, 1.65)).isBetween(1.0, 1.05);
        Tail heavy = Tail.of(Statistic.MEAN);
        learn(heavy, Chance.pareto(1.2), 300);
        assertThat(heavy.chance(400, 1.65)).isGreaterThan(1.2).isGreaterThan(heavy.chance(4_000, 1.65));
    }

    private void learn(Tail tail, Chance chance, int measurements) {
        for (int i = 0; i < measurements; i++) {
            now += 200_000_000L;
            long[] nanos = new long[EACH];
            double mean = random.nextDouble(5e6, 50e6);
            for (int j = 0; j < EACH; j++) {
                nanos[j] = Math.max(1, (long) (mean * chance.next(random)));
            }
            tail.learn(now, new Sample(Durations.ofNanos(nanos)));
        }
    }
}
