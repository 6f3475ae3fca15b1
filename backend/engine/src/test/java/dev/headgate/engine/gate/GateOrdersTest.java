package dev.headgate.engine.gate;

import dev.headgate.engine.gate.RacedGate.Setting;
import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What two requests do at once, and what a third does then: the governor, the clock, an operator. Whoever was first, no permit is lost or
 * held twice, nobody waits beside a permit that he may have, at a gate that is closed or past his deadline, nobody is refused while a
 * permit is free, and everyone is told once.
 * {@link RacedGate} checks that; {@link RacedTime} lets time pass and threads sleep.
 *
 * <p>The orders have two sources. Threads start together, as far as the processor lets them, in many rounds ({@code -Drounds=N}). And
 * Lincheck (Koval et al., "Lincheck: A Practical Framework for Testing Concurrent Data Structures on JVM", CAV 2023) switches between
 * threads at accesses to shared memory, in orders of its own, and prints the one that fails. Each takes it a hundredth of a second, so it
 * runs only where {@code -Dinterleavings=N} says how many orders of each race. {@code ./headgate check races} does both at length.
 */
class GateOrdersTest {

    private static final int ROUNDS = Integer.getInteger("rounds", 300);
    private static final int ORDERS = Integer.getInteger("interleavings", 0);

    /** What requests do, each on a thread of its own. */
    private enum Request implements Consumer<RacedGate> {
        ASKS(world -> world.ask()),
        WAITS_FOR_NOTHING(world -> world.acquire(0)),
        COMES_THROUGH_THE_DOOR(world -> world.comeThroughTheDoor(0)),
        GIVES_UP(world -> world.giveUp()),
        ASKS_AND_ENDS(world -> world.askAndEnd()),
        ONE_ENDS(world -> world.end()),
        /** Has joined the queue before the race, ahead of the one who waits. */
        IS_ASLEEP(world -> world.sleep(gate -> gate.acquire(RacedGate.PATIENCE_NANOS))),
        SLEEPS(world -> world.sleep(gate -> gate.acquire(RacedGate.PATIENCE_NANOS))),
        SLEEPS_BEHIND_THE_DOOR(world -> world.sleep(gate -> gate.comeThroughTheDoor(RacedGate.PATIENCE_NANOS))),
        LOOKS_IN(world -> world.lookIn()),
        ONE_ENDS_AT_THE_NEIGHBOUR(world -> world.neighbour.end()),
        MOVES_A_PERMIT(world -> world.move());

        private final Consumer<RacedGate> action;

        Request(Consumer<RacedGate> action) {
            this.action = action;
        }

        @Override
        public void accept(RacedGate world) {
            action.accept(world);
        }
    }

    /** What the governor, the clock or an operator does, one thing at a time. */
    private enum Step implements Consumer<RacedGate> {
        NOTHING(world -> {}),
        SETTLES(world -> world.gate.settle()),
        GROWS(world -> world.gate.resize(world.gate.permits() + 1)),
        SHRINKS(world -> world.gate.resize(world.gate.permits() - 1)),
        SHRINKS_AND_GROWS(world -> {
            world.gate.resize(world.gate.permits() - 1);
            world.gate.resize(world.gate.permits() + 1);
        }),
        PAUSES_AND_OPENS(world -> {
            world.gate.setRules(RacedGate.rules(Passage.PAUSED));
            world.gate.setRules(RacedGate.rules(Passage.OPEN));
        }),
        CLOSES(world -> world.gate.setRules(RacedGate.rules(Passage.CLOSED))),
        REFUSES(world -> {
            world.gate.setRules(RacedGate.exhausted(WhenExhausted.Mode.FAIL));
            world.gate.refuseWaiters();
        }),
        SETS_A_RATE(world -> world.gate.setRate(1e9)),
        LIFTS_A_RATE(Setting.PACED, world -> world.gate.setRate(Double.POSITIVE_INFINITY)),
        NOTHING_AT_A_RATE(Setting.PACED, NOTHING),
        GROWS_AT_A_RATE(Setting.PACED, GROWS),

        A_DEADLINE_PASSES(world -> world.time.pass(RacedGate.PATIENCE_NANOS)),
        AN_OPERATOR_ENDS_THE_FIRST(world -> world.endTheFirst()),
        THE_RATES_TIME_COMES(Setting.PACED, world -> world.time.pass(150_000_000)),
        A_SLEEPER_IS_INTERRUPTED(world -> world.interrupt()),
        A_HEAD_HAS_WAITED_TOO_LONG(world -> world.time.pass(Turnstile.STRICT_AFTER_NANOS + 1)),

        NOTHING_AT_A_SHARED_RATE(Setting.SHARING, NOTHING),
        THE_SHARED_RATES_TIME_COMES(Setting.SHARING, THE_RATES_TIME_COMES),

        REJECTS(world -> {
            world.gate.setRules(RacedGate.exhausted(WhenExhausted.Mode.REJECT));
            world.gate.refuseWaiters();
        }),
        NOTHING_WHERE_IT_REJECTS(Setting.REJECTING, NOTHING),
        GROWS_WHERE_IT_REJECTS(Setting.REJECTING, GROWS),

        ONE_ASKS_WHERE_THERE_IS_ROOM(Setting.ROOMY, world -> world.ask()),
        ONE_LOOKS_IN_WHERE_THERE_IS_ROOM(Setting.ROOMY, world -> world.lookIn());

        /** What there is before it. */
        private final Setting setting;

        private final Consumer<RacedGate> action;

        Step(Consumer<RacedGate> action) {
            this(Setting.PLAIN, action);
        }

        Step(Setting setting, Consumer<RacedGate> action) {
            this.setting = setting;
            this.action = action;
        }

        @Override
        public void accept(RacedGate world) {
            action.accept(world);
        }
    }

    private record Race(Step step, Request one, Request other, boolean owes) {

        /**
         * @param crowded whether each thread has a place of its own for permits
         * @param begin begins what a request does on a thread of its own
         */
        void run(boolean crowded, Consumer<Runnable> begin) {
            RacedGate world = RacedGate.of(step.setting, owes, crowded);
            if (one == Request.IS_ASLEEP) {
                begin.accept(() -> world.run(one));
                world.time.settle(1);
                world.oneWaits();
            } else {
                world.oneWaits();
                begin.accept(() -> world.run(one));
            }
            begin.accept(() -> world.run(other));
            step.accept(world);
            world.finish();
        }
    }

    private static List<Race> races() {
        List<Race> all = new ArrayList<>();
        Set<Step> governors = EnumSet.range(Step.NOTHING, Step.GROWS_AT_A_RATE);
        Set<Request> askers = EnumSet.range(Request.ASKS, Request.ONE_ENDS);
        race(all, governors, askers, askers, true);

        // who sleeps is woken by a permit or by one fewer before him in the queue
        Set<Request> wakers = EnumSet.of(Request.ASKS_AND_ENDS, Request.ONE_ENDS, Request.SLEEPS);
        race(all, governors, EnumSet.of(Request.IS_ASLEEP), wakers, true);
        wakers.add(Request.GIVES_UP);
        race(all, governors, EnumSet.of(Request.SLEEPS), wakers, false);

        // who does not wait is not concerned when a wait ends early, or the rate allows more
        Set<Step> ends = EnumSet.range(Step.A_DEADLINE_PASSES, Step.THE_RATES_TIME_COMES);
        Set<Request> waiters = EnumSet.of(Request.ASKS, Request.GIVES_UP, Request.ASKS_AND_ENDS, Request.ONE_ENDS);
        race(all, ends, waiters, waiters, false);
        ends.addAll(EnumSet.of(Step.A_SLEEPER_IS_INTERRUPTED, Step.A_HEAD_HAS_WAITED_TOO_LONG));
        wakers.add(Request.WAITS_FOR_NOTHING);
        race(all, ends, EnumSet.of(Request.IS_ASLEEP), wakers, false);

        // gates that share a rate share nothing else
        race(
                all,
                EnumSet.of(Step.NOTHING_AT_A_SHARED_RATE, Step.THE_SHARED_RATES_TIME_COMES),
                EnumSet.range(Request.ASKS, Request.SLEEPS),
                EnumSet.of(Request.ONE_ENDS_AT_THE_NEIGHBOUR),
                false);

        // to reject differs from to fail at the door alone
        Set<Request> guests =
                EnumSet.of(Request.COMES_THROUGH_THE_DOOR, Request.SLEEPS_BEHIND_THE_DOOR, Request.LOOKS_IN);
        Set<Request> others = EnumSet.of(Request.ASKS, Request.ASKS_AND_ENDS, Request.ONE_ENDS);
        others.addAll(guests);
        race(all, EnumSet.range(Step.REJECTS, Step.GROWS_WHERE_IT_REJECTS), guests, others, false);

        // one permit is always free
        Set<Request> movers = EnumSet.of(Request.MOVES_A_PERMIT);
        race(
                all,
                EnumSet.of(Step.ONE_ASKS_WHERE_THERE_IS_ROOM, Step.ONE_LOOKS_IN_WHERE_THERE_IS_ROOM),
                movers,
                movers,
                false);
        return all;
    }

    /** Adds the races of each of some requests with each of the others, at each step; with and without a debt, or without one alone. */
    private static void race(
            List<Race> all, Set<Step> steps, Set<Request> some, Set<Request> others, boolean alsoOwes) {
        for (Step step : steps) {
            for (Request one : some) {
                for (Request other : others) {
                    if (one.compareTo(other) <= 0 || !some.contains(other)) {
                        all.add(new Race(step, one, other, false));
                        if (alsoOwes) {
                            all.add(new Race(step, one, other, true));
                        }
                    }
                }
            }
        }
    }

    @Test
    void whoeverComesFirstInThreadsThatStartTogether() throws Exception {
        try (Together together = new Together(2)) {
            for (Race race : races()) {
                for (int round = 0; round < ROUNDS; round++) {
                    try {
                        race.run(round % 2 == 0, together::begin);
                    } catch (AssertionError fault) {
                        throw new AssertionError(race + ", round " + round, fault);
                    }
                    together.await();
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("races")
    @EnabledIfSystemProperty(named = "interleavings", matches = "[1-9][0-9]*")
    void whoeverComesFirstInOrdersOfLinchecks(Race race) {
        Lincheck.runConcurrentTest(ORDERS, () -> {
            List<Thread> threads = new ArrayList<>();
            race.run(true, task -> {
                Thread thread = new Thread(task);
                threads.add(thread);
                thread.start();
            });
            for (Thread thread : threads) {
                join(thread);
            }
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
