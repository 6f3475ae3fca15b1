package dev.headgate.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** In real time, because sleeping and being late are the point. */
class LoadTest {

    private static final Duration WARM_UP = Duration.ofMillis(50);
    private static final Duration MEASURED = Duration.ofMillis(400);

    @Test
    void usersOfAClosedLoopWaitForTheirAnswers() throws Exception {
        AtomicInteger most = new AtomicInteger();
        AtomicInteger inFlight = new AtomicInteger();
        LoadResult result = new ClosedLoop(3, Duration.ZERO, WARM_UP, MEASURED)
                .run(
                        client -> {
                            most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                            Thread.sleep(20);
                            inFlight.decrementAndGet();
                            return Action.Answer.DONE;
                        },
                        1);
        assertThat(most).hasValue(3);
        assertThat(result.meanMs()).isGreaterThanOrEqualTo(20);
        assertThat(result.done()).isBetween(1L, 3 * 21L);
        assertThat(result.perSecond()).isLessThanOrEqualTo(3 * 1000 / 19.0);
    }

    @Test
    void anOpenLoopCountsAStandstillInTheLatencyOfAllThatArriveMeanwhile() throws Exception {
        Object lock = new Object();
        LoadResult result = new OpenLoop(200, Duration.ZERO, MEASURED)
                .run(
                        client -> {
                            synchronized (lock) {
                                Thread.sleep(50);
                            }
                            return Action.Answer.DONE;
                        },
                        7);
        // One at a time of 50 ms: the tenth that arrived has waited for nine, although each works for 50 ms only.
        assertThat(result.done()).isGreaterThan(20);
        assertThat(result.percentileMs(90)).isGreaterThan(500);
    }

    @Test
    void refusedAndFailedOnesAreCountedApart() throws Exception {
        AtomicInteger number = new AtomicInteger();
        LoadResult result = new ClosedLoop(1, Duration.ofMillis(1), Duration.ZERO, MEASURED)
                .run(
                        client -> {
                            return switch (number.getAndIncrement() % 3) {
                                case 0 -> Action.Answer.DONE;
                                case 1 -> Action.Answer.REFUSED;
                                default -> throw new IllegalStateException("broken");
                            };
                        },
                        1);
        assertThat(result.lastFailure()).isEqualTo("broken");
        assertThat(result.refused().getTotalCount()).isBetween(result.done() - 1, result.done() + 1);
        assertThat(result.failed()).isBetween(result.done() - 1, result.done() + 1);
        assertThat(result.refusedShare()).isBetween(0.2, 0.5);
    }

    @Test
    void aGeneratorThatCannotKeepItsScheduleSaysSo() {
        Tally tally = new Tally(0, 1_000_000_000);
        for (int i = 0; i < 10; i++) {
            tally.started(i, i + (i < 8 ? 0 : 5_000_000));
        }
        assertThat(tally.result().generatorWasBottleneck()).isTrue();
        Tally punctual = new Tally(0, 1_000_000_000);
        for (int i = 0; i < 100; i++) {
            punctual.started(i, i + (i < 95 ? 0 : 5_000_000));
        }
        assertThat(punctual.result().generatorWasBottleneck()).isFalse();
    }
}
