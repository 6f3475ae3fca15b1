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
        assertThat(kept).as("but for a sample").isEqualTo(10 * PlanChoice.EVERY - 10);
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
