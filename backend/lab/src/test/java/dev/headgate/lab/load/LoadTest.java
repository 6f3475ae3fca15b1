package dev.headgate.lab.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.lab.pacing.Plan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
    void usersOfAClosedLoopBeginAnotherSessionWhenOneEnds() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger sent = new AtomicInteger();
        new ClosedLoop(1, Duration.ofMillis(1), Duration.ZERO, MEASURED).runSessions(ofTwo(begun, sent), 1);
        assertThat(begun).hasValueGreaterThan(2);
        assertThat(sent).hasValueBetween(2 * begun.get() - 1, 2 * begun.get());
    }

    @Test
    void usersOfAnOpenLoopArriveForOneSession() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger sent = new AtomicInteger();
        LoadResult result =
                new OpenLoop(100, Duration.ZERO, Duration.ZERO, MEASURED).runSessions(ofTwo(begun, sent), 7);
        assertThat(begun).hasValueBetween(10, 100);
        assertThat(sent.get()).isGreaterThan(begun.get()).isLessThanOrEqualTo(2 * begun.get());
        assertThat(result.done()).isLessThanOrEqualTo(sent.get());
    }

    private static Sessions ofTwo(AtomicInteger begun, AtomicInteger sent) {
        Action action = client -> {
            sent.incrementAndGet();
            return Action.Answer.DONE;
        };
        return client -> {
            begun.incrementAndGet();
            return List.of(action, action).iterator();
        };
    }

    @Test
    void anOpenLoopInPhasesCountsAllButItsWarmUp() throws Exception {
        AtomicInteger all = new AtomicInteger();
        Plan plan = new Plan(List.of(
                Plan.Phase.hold(400, Duration.ofMillis(200)).asWarmUp(),
                Plan.Phase.hold(200, Duration.ofMillis(200)),
                Plan.Phase.ramp(200, 600, Duration.ofMillis(200))));
        LoadResult result = new OpenLoop(plan)
                .run(
                        client -> {
                            all.incrementAndGet();
                            return Action.Answer.DONE;
                        },
                        3);
        assertThat(result.seconds()).isEqualTo(0.4);
        assertThat(result.done()).isBetween(80L, 160L); // 40 and 80 are expected
        assertThat(all.get() - result.done()).isBetween(45L, 120L); // 80 are expected
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

    /** The longest requests of all: they must not vanish from the latencies because nobody waits for their end. */
    @Test
    void requestsThatNeverEndCountWithTheirTimeSoFar() throws Exception {
        Duration patience = Duration.ofMillis(100);
        AtomicInteger number = new AtomicInteger();
        Action everyOtherHangs = client -> {
            if (number.getAndIncrement() % 2 == 0) {
                new CountDownLatch(1).await();
            }
            return Action.Answer.DONE;
        };
        LoadResult open = new OpenLoop(100, Duration.ZERO, MEASURED).run(everyOtherHangs, 7, patience);
        assertThat(open.unfinished())
                .isBetween(open.done() - 1, open.done() + 1)
                .isGreaterThan(5);
        assertThat(open.failed()).isEqualTo(open.unfinished());
        assertThat(open.percentileMs(60)).isGreaterThanOrEqualTo(100);
        assertThat(open.lastFailure()).startsWith("it had not ended after ");

        number.set(0);
        LoadResult closed =
                new ClosedLoop(2, Duration.ofMillis(1), Duration.ZERO, MEASURED).run(everyOtherHangs, 7, patience);
        assertThat(closed.unfinished()).isEqualTo(2);
        assertThat(closed.failed()).isEqualTo(2);
        assertThat(closed.done()).isEqualTo(1);
        assertThat(closed.percentileMs(99)).isGreaterThanOrEqualTo(450);
    }

    @Test
    void aRequestThatHidesItsInterruptIsUnfinishedAllTheSame() throws Exception {
        Action hangs = client -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("the lease was not got", e);
            }
            return Action.Answer.DONE;
        };
        LoadResult result =
                new ClosedLoop(1, Duration.ZERO, Duration.ZERO, MEASURED).run(hangs, 1, Duration.ofMillis(50));
        assertThat(result.unfinished()).isEqualTo(1);
        assertThat(result.lastFailure()).startsWith("it had not ended after ");
        assertThat(result.perSecond()).isZero();
    }

    @Test
    void anErrorOfEitherOfTwoLoadsEndsBoth() {
        LoadResult result = new Tally(0, 1).result();
        assertThatThrownBy(() -> SideBySide.of(() -> result, () -> {
                    throw new AssertionError("a fault");
                }))
                .hasRootCauseMessage("a fault");
    }

    /** What an experiment has started must have ended when it is told that it failed. */
    @Test
    @Timeout(30)
    void aFailureOfOneOfTwoLoadsEndsTheOtherAndWaitsForItsEnd() {
        for (boolean firstFails : List.of(true, false)) {
            CountDownLatch running = new CountDownLatch(1);
            AtomicInteger ended = new AtomicInteger();
            SideBySide.Load fails = () -> {
                running.await();
                throw new AssertionError("a fault");
            };
            SideBySide.Load endsLate = () -> {
                running.countDown();
                try {
                    new CountDownLatch(1).await();
                    throw new AssertionError("nobody counts it down");
                } finally {
                    LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
                    ended.incrementAndGet();
                }
            };
            assertThatThrownBy(() -> SideBySide.of(firstFails ? fails : endsLate, firstFails ? endsLate : fails))
                    .hasRootCauseMessage("a fault");
            assertThat(ended).hasValue(1);
        }
    }

    /** Requests that wait for a lock which only the caller can end would otherwise keep a cancelled run for ever. */
    @Test
    @Timeout(30)
    void anInterruptAlsoEndsAnOpenLoopThatWaitsForItsLastRequests() throws Exception {
        CountDownLatch underWay = new CountDownLatch(1);
        Action hangs = client -> {
            underWay.countDown();
            new CountDownLatch(1).await();
            return Action.Answer.DONE;
        };
        OpenLoop load = new OpenLoop(1_000, Duration.ZERO, WARM_UP);
        CompletableFuture<LoadResult> result = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(load.run(hangs, 7, Duration.ofHours(1)));
            } catch (InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        underWay.await();
        while (thread.getState() != Thread.State.TIMED_WAITING) { // which is its patience, after the last arrival
            Thread.onSpinWait();
        }
        thread.interrupt();
        assertThatThrownBy(result::get).hasRootCauseInstanceOf(InterruptedException.class);
        thread.join();
    }

    @Test
    void aGeneratorThatCannotKeepItsScheduleSaysSo() {
        Tally tally = new Tally(0, 1_000_000_000);
        for (int i = 0; i < 10; i++) {
            tally.started(i, i + (i < 8 ? 0 : 5_000_000));
        }
        LoadResult late = tally.result();
        assertThat(late.generatorWasBottleneck()).isTrue();
        Tally punctual = new Tally(0, 1_000_000_000);
        for (int i = 0; i < 100; i++) {
            punctual.started(i, i + (i < 95 ? 0 : 5_000_000));
        }
        LoadResult kept = punctual.result();
        assertThat(kept.generatorWasBottleneck()).isFalse();

        LoadNotes notes = new LoadNotes();
        notes.add("4 users", kept);
        assertThat(notes.all())
                .containsExactly(
                        "The load generator kept its schedule: in every load it started nine of ten requests within 0.00 ms of their time.");
        notes.add("8 users", late);
        assertThat(notes.all())
                .containsExactly(
                        "The load generator was the bottleneck in 1 of 2 loads: one request in ten began later than its schedule by 5.00 ms (8 users). The latencies include that.");
    }

    @Test
    void aLoadWithoutThinkingHasNoScheduleToKeep() throws Exception {
        Action action = client -> {
            Thread.sleep(1);
            return Action.Answer.DONE;
        };
        LoadResult result = new ClosedLoop(1, Duration.ZERO, Duration.ZERO, WARM_UP).run(action, 1);
        assertThat(result.hasSchedule()).isFalse();
        assertThat(result.done()).isPositive();
        LoadNotes notes = new LoadNotes();
        notes.add("1 user", result);
        assertThat(notes.all())
                .containsExactly(
                        "Where users do not think, the load generator has no schedule to keep: each sends the next request when it has its answer, and nothing tells whether the generator slowed it.");

        LoadResult thinking = new ClosedLoop(1, Duration.ofMillis(1), Duration.ZERO, MEASURED).run(action, 1);
        assertThat(thinking.hasSchedule()).isTrue();
        notes.add("1 user who thinks", thinking);
        assertThat(notes.all()).hasSize(2);
    }

    @Test
    void notesTellWhatFailedAndWhy() {
        Tally tally = new Tally(0, 1_000_000_000);
        tally.failed(new IllegalStateException("broken"), 1, 2);
        tally.dropped(2);
        tally.gaveUp();
        tally.failed(new IllegalStateException("interrupted"), 0, 30_000_000_000L);
        LoadNotes notes = new LoadNotes();
        notes.add("8 users", tally.result());
        assertThat(notes.all().getFirst())
                .isEqualTo(
                        "8 users: 3 requests failed, 1 of them unfinished at the end, 1 of them not started because too many were in flight, the last one: it had not ended after 30.0 s");
    }
}
