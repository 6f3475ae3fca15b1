package dev.headgate.policy.latencycap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LatencyModelTest {

    private static final long STEP = 300_000_000L;
    private static final long SAMPLES = 100;

    private final LatencyModel model = new LatencyModel(1);
    private final SplittableRandom random = new SplittableRandom(1);
    private long now = -5_000_000_000L;

    @Test
    void learnsALineFromAPoolThatGrows() {
        for (int size = 2; size <= 20; size++) {
            learn(size, 5 + 0.5 * size, true);
        }
        assertThat(model.at(21)).isCloseTo(15.5e6, within(0.6e6));
        assertThat(model.loadShareAt(20)).isCloseTo(0.67, within(0.12));
    }

    @Test
    void aCopyBelievesTheSameAndLearnsOnItsOwn() {
        for (int size = 2; size <= 20; size++) {
            learn(size, 5 + 0.5 * size, true);
        }
        LatencyModel copy = new LatencyModel(model);
        assertThat(copy).usingRecursiveComparison().isEqualTo(model);
        double before = copy.at(20);
        learn(20, 5 * 15, true);
        assertThat(copy.at(20)).isEqualTo(before).isNotEqualTo(model.at(20));
    }

    @Test
    void doubtsMoreTheFurtherItLooks() {
        for (int size = 2; size <= 10; size++) {
            learn(size, 5 + 0.5 * size, true);
        }
        assertThat(model.deviationAt(12)).isGreaterThan(model.deviationAt(10));
        assertThat(model.deviationAt(20)).isGreaterThan(model.deviationAt(12));
    }

    @Test
    void keepsTheShapeWhenTheDatabaseIsSlowAsAWhole() {
        for (int size = 2; size <= 20; size++) {
            learn(size, 5 + 0.5 * size, true);
        }
        double shareBefore = model.loadShareAt(20);
        for (int i = 0; i < 15; i++) {
            learn(20, 5 * 15, true);
        }
        assertThat(model.at(20)).isCloseTo(75e6, within(4e6));
        assertThat(model.loadShareAt(20)).isCloseTo(shareBefore, within(0.1));
        assertThat(model.at(2)).as("what two would take now").isCloseTo(30e6, within(8e6));
    }

    @Test
    void doesNotTakeChanceForLoadWhereTheLoadSetsHowManyAreActive() {
        learn(4, 10, false);
        double shareBefore = model.loadShareAt(4);
        for (int i = 0; i < 500; i++) {
            // Little's law: what is slow by chance also counts as more active connections
            double chance = random.nextDouble(0.7, 1.3);
            learn(4 * chance, 10 * chance, false);
        }
        assertThat(model.loadShareAt(4)).isCloseTo(shareBefore, within(0.02));
        assertThat(model.at(4)).isCloseTo(10e6, within(1e6));
    }

    @Test
    void knowsWhereMoreLoadLowersTheThroughput() {
        for (int size = 2; size <= 40; size += 2) {
            learn(size, 5 * (1 + 0.02 * (size - 1) + 0.01 * size * (size - 1)), true);
        }
        assertThat(model.loadShareAt(40)).as("the peak is at 10").isGreaterThan(1);
    }

    private void learn(double active, double ms, boolean full) {
        now += STEP;
        model.learn(now, active, ms * 1e6 * random.nextDouble(0.98, 1.02), SAMPLES, full);
    }
}
