package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PlanChoiceTest {

    private static final long NANOS = 100_000;

    private final PlanChoice choice = new PlanChoice();
    private final SplittableRandom random = new SplittableRandom(3);

    @Test
    void statementsAreKeptAtFirst() {
        assertThat(choice.keeps()).isTrue();
        int kept = 0;
        for (int i = 0; i < 10 * PlanChoice.EVERY; i++) {
            kept += choice.next() ? 1 : 0;
        }
        assertThat(10 * PlanChoice.EVERY - kept).as("a sample").isBetween(9, 11);
    }

    /** A client that alternates between two values must not have one of them measured this way and the other that way. */
    @Test
    void theSampleHasNoPeriodOfItsOwn() {
        for (int period = 2; period <= PlanChoice.EVERY; period *= 2) {
            int[] sampled = new int[period];
            for (int i = 0; i < 100 * period * PlanChoice.EVERY; i++) {
                sampled[i % period] += choice.next() ? 0 : 1;
            }
            for (int times : sampled) {
                assertThat(times).as("with period " + period).isBetween(90, 110);
            }
        }
    }

    @Test
    void aWayThatIsThreeTimesSlowerIsLeftAndTakenAgainWhenThatTurns() {
        execute(PlanChoice.EVERY * PlanChoice.LEAST + 1, 3 * NANOS, NANOS);
        assertThat(choice.keeps()).isFalse();
        execute(2 * PlanChoice.MEMORY, NANOS, 3 * NANOS);
        assertThat(choice.keeps()).isTrue();
        assertThat(execute(1_000, NANOS, 3 * NANOS)).as("changes of mind").isZero();
    }

    @Test
    void noiseOfATenthChangesNothing() {
        assertThat(execute(200_000, NANOS, NANOS)).as("changes of mind").isZero();
        assertThat(choice.keeps()).isTrue();
    }

    /** Behind a queue the time of an execution is mostly that of others. */
    @Test
    void theNoiseOfABusyServerChangesNothing() {
        for (int i = 0; i < 300_000; i++) {
            choice.measured(choice.next(), (long) (NANOS * -Math.log(1 - random.nextDouble())));
            assertThat(choice.keeps()).as("execution " + i).isTrue();
        }
    }

    /** The values that most rows have take long in any way, and the others with the plan for all. */
    @Test
    void aPlanForAllThatIsBadForMostParametersIsLeft() {
        int executions = 0;
        while (choice.keeps() && executions < 50_000) {
            boolean kept = choice.next();
            boolean frequent = random.nextInt(5) == 0;
            choice.measured(kept, noisy(frequent ? 100 * NANOS : kept ? 50 * NANOS : NANOS));
            executions++;
        }
        assertThat(executions).isLessThan(3_000);
    }

    /** Half the time, as far as a busy server lets see it. */
    @Test
    void aWayThatIsTwiceAsFastIsTakenOnABusyServerToo() {
        int executions = 0;
        while (choice.keeps() && executions < 50_000) {
            boolean kept = choice.next();
            choice.measured(kept, (long) ((kept ? 2 : 1) * NANOS * -Math.log(1 - random.nextDouble())));
            executions++;
        }
        assertThat(executions).isLessThan(20_000);
    }

    /**
     * One key has most rows and a tenth of the executions, and PostgreSQL's plan for any key takes twice as long for it: the row
     * "join" of {@code bench skew}, 10 ms in the mean. The other keys are faster with it.
     */
    @Test
    void aPlanForAllThatIsBadForTheFrequentKeyIsLeft() {
        for (int seed = 0; seed < 100; seed++) {
            SkewedKey skewed = new SkewedKey(seed, 119_000_000, 65_000_000);
            assertThat(skewed.executionsUntil(false)).as("seed " + seed).isLessThan(6_000);
            assertThat(skewed.executionsUntil(true)).as("seed " + seed).isGreaterThan(100_000);
            assertThat(skewed.shareOfKept()).as("seed " + seed).isLessThan(0.1);
        }
    }

    @Test
    void aFrequentKeyThatTakesLongInAnyWayChangesNothing() {
        for (int seed = 0; seed < 20; seed++) {
            assertThat(new SkewedKey(seed, 65_000_000, 65_000_000).executionsUntil(false))
                    .as("seed " + seed)
                    .isGreaterThan(100_000);
        }
    }

    private static final class SkewedKey {
        private final PlanChoice choice = new PlanChoice();
        private final SplittableRandom random;
        private final long kept;
        private final long asSent;
        private int executions;
        private int ofKept;

        SkewedKey(int seed, long kept, long asSent) {
            random = new SplittableRandom(seed);
            this.kept = kept;
            this.asSent = asSent;
        }

        /** 100,001 if the choice does not become that. */
        int executionsUntil(boolean keeps) {
            executions = 0;
            ofKept = 0;
            while (choice.keeps() != keeps && executions <= 100_000) {
                boolean now = choice.next();
                boolean frequent = random.nextInt(10) == 0;
                long nanos = frequent ? now ? kept : asSent : now ? 40_000 : 120_000;
                choice.measured(now, (long) (nanos * (0.8 + 0.4 * random.nextDouble())));
                executions++;
                ofKept += now ? 1 : 0;
            }
            return executions;
        }

        double shareOfKept() {
            return (double) ofKept / executions;
        }
    }

    @Test
    void aFewOutliersChangeNothing() {
        for (int i = 0; i < 100_000; i++) {
            boolean kept = choice.next();
            choice.measured(kept, random.nextInt(1_000) == 0 ? 3 * NANOS : noisy(NANOS));
            assertThat(choice.keeps()).isTrue();
        }
    }

    @Test
    void tooFewSamplesDecideNothing() {
        for (int i = 0; i < PlanChoice.LEAST - 1; i++) {
            choice.measured(false, 1);
            choice.measured(true, NANOS);
        }
        assertThat(choice.keeps()).isTrue();
        choice.measured(false, 1);
        choice.measured(true, NANOS);
        assertThat(choice.keeps()).isFalse();
    }

    /** @return how often the choice changed */
    private int execute(int times, long keptNanos, long asSentNanos) {
        int changes = 0;
        for (int i = 0; i < times; i++) {
            boolean before = choice.keeps();
            boolean kept = choice.next();
            choice.measured(kept, noisy(kept ? keptNanos : asSentNanos));
            changes += before == choice.keeps() ? 0 : 1;
        }
        return changes;
    }

    private long noisy(long nanos) {
        return (long) (nanos * (0.9 + 0.2 * random.nextDouble()));
    }
}
