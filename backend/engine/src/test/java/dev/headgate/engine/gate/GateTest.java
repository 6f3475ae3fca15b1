package dev.headgate.engine.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.engine.time.Time;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.WhenExhausted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gate in virtual time, one thread: what is decided, apart from races. */
class GateTest {

    private static final WhenExhausted QUEUE = WhenExhausted.queue(5_000, 100);

    private final VirtualTime time = new VirtualTime();
    private int woken;
    private final Gate gate = new Gate(time, new Rules(Passage.OPEN, QUEUE, false), () -> woken++);
    private final List<String> told = new ArrayList<>();

    private Gate.Listener as(String name) {
        return new Gate.Listener() {
            @Override
            public void admitted(long waitedNanos) {
                told.add(name + " admitted after " + TimeUnit.NANOSECONDS.toMillis(waitedNanos));
            }

            @Override
            public void refused(Refusal refusal) {
                told.add(name + " " + refusal.why() + " after " + TimeUnit.NANOSECONDS.toMillis(refusal.waitedNanos()));
            }
        };
    }

    private Runnable ask(String name) {
        return gate.acquireAsync(Long.MAX_VALUE, as(name));
    }

    private void rules(WhenExhausted.Mode mode, int depth, boolean exhausted) {
        gate.setRules(new Rules(Passage.OPEN, new WhenExhausted(mode, 5_000_000_000L, depth), exhausted));
    }

    @Test
    void admitsAsManyAsThereArePermitsWithoutWakingTheGovernor() throws Refusal {
        gate.resize(2);
        assertThat(gate.acquire(0)).isZero();
        assertThat(gate.acquire(0)).isZero();
        assertThat(woken).isZero();
        assertThat(gate.inUse()).isEqualTo(2);
        assertThat(gate.free()).isZero();
    }

    @Test
    void wakesTheGovernorForWhoeverFindsNothing() {
        ask("a");
        assertThat(woken).isEqualTo(1);
        assertThat(gate.waiting()).isEqualTo(1);
        gate.resize(1);
        assertThat(told).containsExactly("a admitted after 0");
        assertThat(gate.waiting()).isZero();
    }

    @Test
    void servesInOrderOfArrival() {
        gate.resize(1);
        ask("a");
        ask("b");
        ask("c");
        time.runFor(Duration.ofMillis(3));
        gate.release();
        time.runFor(Duration.ofMillis(4));
        gate.release();
        assertThat(told).containsExactly("a admitted after 0", "b admitted after 3", "c admitted after 7");
        assertThat(gate.waitedNanosTotal()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(3 + 7));
    }

    @Test
    void thoseWhoLeaveTheMiddleOfALongQueueKeepNobodyFromHisTurn() {
        rules(WhenExhausted.Mode.QUEUE, 20_000, false);
        ask("first");
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            gate.acquireAsync(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(1_000)), as("hasty"));
        }
        ask("last");
        time.runFor(Duration.ofMillis(1_100));
        assertThat(gate.waiting()).isEqualTo(2);
        assertThat(gate.timedOutTotal()).isEqualTo(10_000);
        told.clear();
        gate.resize(2);
        assertThat(told).containsExactly("first admitted after 1100", "last admitted after 1100");
        assertThat(gate.waiting()).isZero();
        assertThat(gate.free()).isZero();
    }

    @Test
    void timesOutAtTheShorterOfCallersAndRulesPatience() {
        gate.acquireAsync(TimeUnit.MILLISECONDS.toNanos(20), as("hasty"));
        gate.acquireAsync(Long.MAX_VALUE, as("patient"));
        time.runFor(Duration.ofMillis(20));
        assertThat(told).containsExactly("hasty TIMED_OUT after 20");
        time.runFor(Duration.ofMillis(4_980));
        assertThat(told).containsExactly("hasty TIMED_OUT after 20", "patient TIMED_OUT after 5000");
        assertThat(gate.waiting()).isZero();
        assertThat(gate.timedOutTotal()).isEqualTo(2);
        gate.resize(1);
        assertThat(gate.free()).isEqualTo(1);
    }

    @Test
    void keepsTheDeadlinesOfAllByOneTimer() {
        for (int i = 0; i < 90; i++) {
            gate.acquireAsync(TimeUnit.MILLISECONDS.toNanos(30 - i % 30), as("w" + i));
        }
        assertThat(time.pending()).isEqualTo(1);
        time.runFor(Duration.ofMillis(5));
        assertThat(told).hasSize(5 * 3);
        gate.acquireAsync(TimeUnit.MILLISECONDS.toNanos(1), as("hasty"));
        assertThat(time.pending()).isEqualTo(1);
        time.runFor(Duration.ofMillis(1));
        assertThat(told).contains("hasty TIMED_OUT after 1");
        time.runFor(Duration.ofMillis(24));
        assertThat(told).hasSize(91);
        assertThat(time.pending()).as("nobody waits").isZero();
    }

    @Test
    void deadlinesCloseTogetherPassWithinAMillisecond() {
        for (int i = 0; i < 100; i++) {
            gate.acquireAsync(TimeUnit.MILLISECONDS.toNanos(10) + i * 10_000L, as("w" + i));
        }
        time.advance(TimeUnit.MILLISECONDS.toNanos(10) + 990_000 + 500_000);
        assertThat(told).hasSize(100);
    }

    @Test
    void makesNoTimerForThoseWhoAreServedBeforeTheirDeadline() {
        gate.resize(1);
        ask("holder");
        for (int i = 0; i < 1_000; i++) {
            ask("next");
            gate.release();
            time.advance(1_000);
        }
        assertThat(time.pending()).isEqualTo(1);
        time.runFor(Duration.ofSeconds(6));
        assertThat(time.pending()).isZero();
        assertThat(gate.timedOutTotal()).isZero();
    }

    @Test
    void aBlockedCallerTimesOutToo() {
        Refusal refusal = catchThrowableOfType(Refusal.class, () -> gate.acquire(0));
        assertThat(refusal.why()).isEqualTo(Refusal.Why.TIMED_OUT);
    }

    @Test
    void refusesWhenTheQueueIsFull() {
        rules(WhenExhausted.Mode.QUEUE, 2, true);
        ask("a");
        ask("b");
        ask("c");
        assertThat(told).containsExactly("c QUEUE_FULL after 0");
        assertThat(gate.waiting()).isEqualTo(2);
    }

    @Test
    void failsAtOnceOnlyWhereTheGovernorWouldNotGrow() {
        rules(WhenExhausted.Mode.FAIL, 100, false);
        ask("growable");
        assertThat(told).isEmpty();
        gate.resize(1);
        rules(WhenExhausted.Mode.FAIL, 100, true);
        ask("exhausted");
        assertThat(told).containsExactly("growable admitted after 0", "exhausted FAILED after 0");
    }

    @Test
    void whomTheRateAloneHoldsBackWaitsWhateverTheMode() {
        gate.resize(2);
        gate.setRate(10, 1, null);
        rules(WhenExhausted.Mode.FAIL, 100, true);
        ask("a");
        ask("b");
        assertThat(told).containsExactly("a admitted after 0");
        assertThat(gate.waiting()).isEqualTo(1);
    }

    /** Its permits are all in use for a moment, which is nothing to those who wait for their turn. */
    @ParameterizedTest
    @EnumSource(
            value = WhenExhausted.Mode.class,
            names = {"FAIL", "REJECT"})
    void whoWaitsForTheRateIsNotRefusedWhenThePoolIsExhausted(WhenExhausted.Mode mode) {
        gate.resize(2);
        gate.setRate(10, 1, null);
        rules(mode, 100, true);
        ask("a");
        ask("b");
        ask("c");
        gate.resize(1);
        gate.refuseWaiters();
        assertThat(told).containsExactly("a admitted after 0");
        ask("d");
        assertThat(told)
                .containsExactly(
                        "a admitted after 0",
                        "d " + (mode == WhenExhausted.Mode.FAIL ? "FAILED" : "REJECTED") + " after 0");
        assertThat(gate.waiting()).isEqualTo(2);
        gate.setRules(gate.rules().with(Passage.CLOSED));
        assertThat(gate.waiting()).isZero();
    }

    @Test
    void refusesThoseWhoWaitWhenTheGovernorSaysThatThereIsNoMore() {
        rules(WhenExhausted.Mode.REJECT, 100, false);
        ask("a");
        ask("b");
        rules(WhenExhausted.Mode.REJECT, 100, true);
        gate.refuseWaiters();
        assertThat(told).containsExactly("a REJECTED after 0", "b REJECTED after 0");
        assertThat(gate.refusedTotal()).isEqualTo(2);
    }

    @Test
    void theDoorLetsInAsManyAsPermitsAreFree() throws Refusal {
        rules(WhenExhausted.Mode.REJECT, 100, true);
        assertThat(turnedAway()).isEqualTo(Refusal.Why.REJECTED);
        gate.resize(2);
        gate.enter();
        gate.enter();
        assertThat(gate.inUse()).isZero();
        assertThat(turnedAway()).isEqualTo(Refusal.Why.REJECTED);
        gate.acquireInside(0, "first");
        assertThat(turnedAway()).isEqualTo(Refusal.Why.REJECTED);
        gate.leaveDoor(); // the second does not come
        gate.enter();
        gate.leaveDoor();
        gate.release();
        gate.enter();
        gate.enter();
        assertThat(gate.refusedTotal()).isEqualTo(3);
    }

    @Test
    void theDoorIsOpenWhileThePoolMayGrowOrItsPoliciesQueue() throws Refusal {
        rules(WhenExhausted.Mode.REJECT, 100, false);
        gate.enter();
        rules(WhenExhausted.Mode.QUEUE, 100, true);
        gate.enter();
        gate.setRules(gate.rules().with(Passage.CLOSED));
        assertThat(turnedAway()).isEqualTo(Refusal.Why.CLOSED);
    }

    @Test
    void whoWasLetInIsNotRefusedWithTheOthersWhoWait() throws Exception {
        rules(WhenExhausted.Mode.REJECT, 100, false);
        gate.resize(1);
        gate.enter();
        ask("thief");
        CompletableFuture<String> inside = new CompletableFuture<>();
        Thread waiter = Thread.ofPlatform().daemon().start(() -> {
            try {
                gate.acquireInside(Long.MAX_VALUE, "inside");
                inside.complete("admitted");
            } catch (Refusal refusal) {
                inside.complete("refused: " + refusal.why());
            }
        });
        while (gate.waiting() == 0) {
            Thread.onSpinWait();
        }
        ask("other");
        rules(WhenExhausted.Mode.REJECT, 100, true);
        gate.refuseWaiters();
        assertThat(told).containsExactly("thief admitted after 0", "other REJECTED after 0");
        assertThat(gate.waiting()).isEqualTo(1);
        gate.release();
        assertThat(inside.get(10, TimeUnit.SECONDS)).isEqualTo("admitted");
        waiter.join();
    }

    private Refusal.Why turnedAway() {
        return catchThrowableOfType(Refusal.class, gate::enter).why();
    }

    @Test
    void pauseHoldsRequestsAndTheirDeadlinesRun() {
        gate.resize(2);
        gate.setRules(gate.rules().with(Passage.PAUSED));
        gate.acquireAsync(TimeUnit.MILLISECONDS.toNanos(10), as("hasty"));
        gate.acquireAsync(Long.MAX_VALUE, as("patient"));
        time.runFor(Duration.ofMillis(10));
        assertThat(told).containsExactly("hasty TIMED_OUT after 10");
        gate.setRules(gate.rules().with(Passage.OPEN));
        assertThat(told).containsExactly("hasty TIMED_OUT after 10", "patient admitted after 10");
    }

    @Test
    void closingRefusesWaitersAndNewcomers() {
        ask("waiting");
        gate.setRules(gate.rules().with(Passage.CLOSED));
        ask("late");
        assertThat(told).containsExactly("waiting CLOSED after 0", "late CLOSED after 0");
    }

    @Test
    void shrinkingTakesFreePermitsAtOnceAndRecordsTheRestAsDebt() throws Refusal {
        gate.resize(5);
        gate.acquire(0);
        gate.acquire(0);
        gate.acquire(0);
        assertThat(gate.resize(1)).isEqualTo(2);
        assertThat(gate.debt()).isEqualTo(2);
        assertThat(gate.inUse()).isEqualTo(3);
        assertThat(gate.payDebt()).isTrue();
        assertThat(gate.payDebt()).isTrue();
        assertThat(gate.payDebt()).isFalse();
        gate.release();
        assertThat(gate.free()).isEqualTo(1);
        assertThat(gate.inUse()).isZero();
    }

    @Test
    void growingForgivesDebtsFirst() throws Refusal {
        gate.resize(3);
        gate.acquire(0);
        gate.acquire(0);
        gate.acquire(0);
        gate.resize(1);
        gate.resize(4);
        assertThat(gate.debt()).isZero();
        assertThat(gate.free()).isEqualTo(1);
        assertThat(gate.inUse()).isEqualTo(3);
    }

    @Test
    void givingThePlaceUpLeavesTheQueueAndDoesNothingLater() {
        gate.resize(1);
        ask("a");
        Runnable giveUp = ask("b");
        ask("c");
        giveUp.run();
        giveUp.run();
        gate.release();
        assertThat(told).containsExactly("a admitted after 0", "b INTERRUPTED after 0", "c admitted after 0");
    }

    @Test
    void listsThoseWhoWaitInPagesByTheirArrival() {
        for (String who : List.of("a", "b", "c", "d")) {
            ask(who);
        }
        List<Queued> all = gate.queue(null, 10);
        assertThat(all)
                .extracting(Queued::id)
                .isSorted()
                .doesNotHaveDuplicates()
                .hasSize(4);
        List<WaiterId> paged = new ArrayList<>();
        WaiterId after = null;
        for (List<Queued> page = gate.queue(after, 3); !page.isEmpty(); page = gate.queue(after, 3)) {
            page.forEach(each -> paged.add(each.id()));
            after = paged.getLast();
        }
        assertThat(paged).containsExactlyElementsOf(all.stream().map(Queued::id).toList());
        WaiterId third = all.get(2).id();
        assertThat(gate.queue(third.before(), 1)).singleElement().satisfies(found -> {
            assertThat(found.id()).isEqualTo(third);
            assertThat(found.position()).isEqualTo(all.get(2).position());
        });
        assertThat(WaiterId.of(third.toString())).isEqualTo(third);
    }

    @Test
    void countsThoseThatLeaveApartFromThoseThatItTurnsAway() {
        Runnable leave = ask("leaves");
        ask("is ended");
        leave.run();
        gate.end(gate.queue(null, 1).getFirst().id());
        assertThat(told).containsExactly("leaves INTERRUPTED after 0", "is ended ENDED after 0");
        assertThat(gate.leftTotal()).isEqualTo(2);
        assertThat(gate.refusedTotal()).isZero();
        rules(WhenExhausted.Mode.FAIL, 100, true);
        ask("fails");
        assertThat(gate.refusedTotal()).isEqualTo(1);
    }

    @Test
    void keepsToTheRateAndServesTheRestWhenItsTimeComes() {
        gate.resize(100);
        gate.setRate(10);
        for (int i = 0; i < 5; i++) {
            ask("r" + i);
        }
        assertThat(told).containsExactly("r0 admitted after 0");
        time.runFor(Duration.ofMillis(450));
        assertThat(told).hasSize(5);
        assertThat(told.get(4)).isEqualTo("r4 admitted after 400");
        gate.setRate(Double.POSITIVE_INFINITY);
        ask("free");
        assertThat(told).hasSize(6);
    }

    @Test
    void letsABurstThroughAtOnceAndPacesWhatFollows() {
        gate.resize(100);
        gate.setRate(10, 3, null);
        for (int i = 0; i < 5; i++) {
            ask("r" + i);
        }
        assertThat(told).containsExactly("r0 admitted after 0", "r1 admitted after 0", "r2 admitted after 0");
        time.runFor(Duration.ofMillis(200));
        assertThat(told).hasSize(5).endsWith("r3 admitted after 100", "r4 admitted after 200");
        time.runFor(Duration.ofSeconds(10));
        for (int i = 0; i < 5; i++) {
            ask("later" + i);
        }
        assertThat(told)
                .as("a burst is saved up once, not for every second of quiet")
                .hasSize(8);
    }

    @Test
    void countsNobodyAsWaitingForAPermitWhomOnlyTheRateHoldsBack() {
        gate.resize(1);
        gate.setRate(10, 1, null);
        ask("a");
        ask("b");
        assertThat(gate.waitingForPermits()).as("the permit is held").isEqualTo(1);
        gate.release();
        assertThat(gate.waiting()).isEqualTo(1);
        assertThat(gate.waitingForPermits())
                .as("the permit is free, the rate is not")
                .isZero();
        time.standStill(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(gate.waitingForPermits())
                .as("the rate allows it now, and the permit that is free will do")
                .isZero();
    }

    @Test
    void looksForTheRateByOneTimerHoweverManyWait() {
        gate.resize(100);
        gate.setRate(0.5, 1, null);
        for (int i = 0; i < 50; i++) {
            ask("r" + i).run(); // asks, and gives up
        }
        ask("first");
        ask("second");
        time.runDue();
        assertThat(time.pending())
                .as("one timer for all deadlines, and one for the rate")
                .isEqualTo(2);
        gate.setRate(1_000, 1, null);
        assertThat(time.pending()).as("the timer of the old rate is gone").isEqualTo(2);
        time.runFor(Duration.ofMillis(2));
        assertThat(told)
                .as("where the rate has risen, nobody waits for the timer of the old one")
                .endsWith("first admitted after 0", "second admitted after 1");
    }

    @Test
    void givesAnAdmissionThatDidNotHappenBackToTheRateThatAllowedIt() {
        List<Runnable> meanwhile = new ArrayList<>();
        Gate paced = new Gate(
                new Time() {
                    @Override
                    public long nanoTime() {
                        List<Runnable> due = List.copyOf(meanwhile);
                        meanwhile.clear();
                        due.forEach(Runnable::run);
                        return time.nanoTime();
                    }

                    @Override
                    public Instant now() {
                        return time.now();
                    }

                    @Override
                    public Timer after(long delayNanos, Runnable task) {
                        return time.after(delayNanos, task);
                    }
                },
                new Rules(Passage.OPEN, QUEUE, false),
                () -> {});
        paced.setRate(1_000, 1, null);
        Runnable leave = paced.acquireAsync(Long.MAX_VALUE, as("gone"));
        meanwhile.add(() -> meanwhile.add(
                () -> { // between the look at the rate and the grant
                    leave.run();
                    paced.setRate(1, 1, null);
                    paced.acquireAsync(Long.MAX_VALUE, as("first"));
                }));
        paced.resize(3);
        assertThat(told).containsExactly("gone INTERRUPTED after 0", "first admitted after 0");
        paced.acquireAsync(Long.MAX_VALUE, as("second"));
        assertThat(told).as("the new rate has nothing to spare").hasSize(2);
        assertThat(paced.admittedTotal()).isEqualTo(1);
    }

    /**
     * Random schedules of everything a gate can be asked to do, against a model of sets and counts: no permit is lost or
     * doubled, nobody overtakes, everyone ends exactly once.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233})
    void keepsItsInvariantsUnderAnySchedule(long seed) {
        Random random = new Random(seed);
        Deque<Integer> order = new ArrayDeque<>();
        List<Integer> holders = new ArrayList<>();
        List<Integer> ended = new ArrayList<>();
        int[] next = {0};
        int permits = 0;
        for (int step = 0; step < 5_000; step++) {
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> {
                    int id = next[0]++;
                    order.add(id);
                    gate.acquireAsync(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(50)), new Gate.Listener() {
                        @Override
                        public void admitted(long waitedNanos) {
                            assertThat(order.peek())
                                    .as("first in, first served")
                                    .isEqualTo(id);
                            order.remove(id);
                            holders.add(id);
                            ended.add(id);
                        }

                        @Override
                        public void refused(Refusal refusal) {
                            assertThat(order.remove(id)).isTrue();
                            ended.add(id);
                        }
                    });
                }
                case 4, 5, 6 -> {
                    if (!holders.isEmpty()) {
                        holders.remove(random.nextInt(holders.size()));
                        if (!gate.payDebt()) {
                            gate.release();
                        }
                    }
                }
                case 7 -> time.runFor(Duration.ofMillis(random.nextInt(20)));
                case 8 -> {
                    permits = random.nextInt(12);
                    gate.resize(permits);
                }
                default -> gate.settle();
            }
            assertThat(gate.inUse()).isEqualTo(holders.size());
            assertThat(gate.permits() + gate.debt() - gate.free()).isEqualTo(holders.size());
            assertThat(gate.waiting()).isEqualTo(order.size());
            if (gate.debt() == 0) {
                assertThat(holders.size()).isLessThanOrEqualTo(gate.permits());
            }
            assertThat(gate.free() == 0 || order.isEmpty())
                    .as("nobody waits while a permit is free")
                    .isTrue();
        }
        time.runFor(Duration.ofMillis(100));
        assertThat(order).isEmpty();
        assertThat(ended).doesNotHaveDuplicates().hasSize(next[0]);
    }
}
