package dev.headgate.engine.gate;

import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.WhenExhausted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every two things that requests do at once, with whatever the governor does then: whoever was first, no permit is lost or
 * held twice, nobody waits beside a permit that he may have, and nobody waits at a gate that is closed.
 *
 * <p>Two ways to come by orders. Threads that start together, as far as the processor lets them, in many rounds
 * ({@code -Drounds=N}). And Lincheck (Koval et al., "Lincheck: A Practical Framework for Testing Concurrent Data Structures
 * on JVM", CAV 2023), which switches between threads at each access to shared memory in orders of its own and prints the
 * one that fails; it takes a hundredth of a second for each, so that it runs only where {@code -Dinterleavings=N} says how
 * many of each. {@code ./headgate check races} does both at length.
 */
class GateOrdersTest {

    private static final int ROUNDS = Integer.getInteger("rounds", 500);
    private static final int ORDERS = Integer.getInteger("interleavings", 0);

    /** Threads that start together begin up to so many turns of a loop apart. */
    private static final int APART = 200;

    /** What requests do, each on a thread of its own. */
    private enum Request implements Consumer<World> {
        ASKS(world -> world.ask()),
        WAITS_FOR_NOTHING(world -> world.acquire()),
        COMES_THROUGH_THE_DOOR(world -> world.comeIn()),
        GIVES_UP(world -> world.giveUp.run()),
        ASKS_AND_ENDS(world -> world.askAndEnd()),
        ONE_ENDS(world -> world.end());

        private final Consumer<World> action;

        Request(Consumer<World> action) {
            this.action = action;
        }

        @Override
        public void accept(World world) {
            action.accept(world);
        }
    }

    /** What the governor does, one thing at a time. */
    private enum Step implements Consumer<World> {
        NOTHING(gate -> {}),
        SETTLES(gate -> gate.settle()),
        GROWS(gate -> gate.resize(gate.permits() + 1)),
        SHRINKS(gate -> gate.resize(gate.permits() - 1)),
        SHRINKS_AND_GROWS(gate -> {
            gate.resize(gate.permits() - 1);
            gate.resize(gate.permits() + 1);
        }),
        PAUSES_AND_OPENS(gate -> {
            gate.setRules(rules(Passage.PAUSED, WhenExhausted.Mode.QUEUE));
            gate.setRules(rules(Passage.OPEN, WhenExhausted.Mode.QUEUE));
        }),
        CLOSES(gate -> gate.setRules(rules(Passage.CLOSED, WhenExhausted.Mode.QUEUE))),
        REFUSES(gate -> {
            gate.setRules(new Rules(Passage.OPEN, new WhenExhausted(WhenExhausted.Mode.FAIL, 1_000, 10), true));
            gate.refuseWaiters();
        }),
        SETS_A_RATE(gate -> gate.setRate(1e9)),
        LIFTS_A_RATE(gate -> gate.setRate(Double.POSITIVE_INFINITY), true),
        NOTHING_AT_A_RATE(gate -> {}, true),
        GROWS_AT_A_RATE(gate -> gate.resize(gate.permits() + 1), true);

        private final Consumer<Gate> action;

        /** Whether the rate allows {@link World#ADMISSIONS} more before it. */
        private final boolean paced;

        Step(Consumer<Gate> action) {
            this(action, false);
        }

        Step(Consumer<Gate> action, boolean paced) {
            this.action = action;
            this.paced = paced;
        }

        @Override
        public void accept(World world) {
            action.accept(world.gate);
        }
    }

    private static Rules rules(Passage passage, WhenExhausted.Mode mode) {
        return new Rules(passage, new WhenExhausted(mode, 1_000_000_000L, 10), false);
    }

    /** Two permits, both held, one of them owed where there is a debt; and one request that waits. */
    private static final class World {
        static final int ADMISSIONS = 2;

        final AtomicInteger holders = new AtomicInteger();
        final Gate gate = new Gate(new StoppedTime(), rules(Passage.OPEN, WhenExhausted.Mode.QUEUE), () -> {});
        final Runnable giveUp;
        final long admittedBefore;
        final boolean paced;

        World(boolean owes, boolean paced, boolean crowded) {
            this.paced = paced;
            if (crowded) {
                gate.crowd();
            }
            gate.resize(2);
            ask();
            ask();
            if (paced) {
                gate.setRate(1e-3, ADMISSIONS, null);
            }
            admittedBefore = gate.admittedTotal();
            if (owes) {
                gate.resize(1);
            }
            giveUp = ask();
        }

        Runnable ask() {
            return gate.acquireAsync(Long.MAX_VALUE, new Gate.Listener() {
                @Override
                public void admitted(long waitedNanos) {
                    holders.incrementAndGet();
                }

                @Override
                public void refused(Refusal refusal) {}
            });
        }

        void askAndEnd() {
            gate.acquireAsync(Long.MAX_VALUE, new Gate.Listener() {
                @Override
                public void admitted(long waitedNanos) {
                    holders.incrementAndGet();
                    end();
                }

                @Override
                public void refused(Refusal refusal) {}
            });
        }

        void acquire() {
            try {
                gate.acquire(0);
                holders.incrementAndGet();
            } catch (Refusal refusal) {
                // as it should
            }
        }

        void comeIn() {
            try {
                gate.enter();
                gate.acquireInside(0, "inside");
                holders.incrementAndGet();
            } catch (Refusal refusal) {
                // as it should
            }
        }

        void end() {
            holders.decrementAndGet();
            if (!gate.payDebt()) {
                gate.release();
            }
        }

        void check() {
            String state = "%d permits, %d owed, %d free, %d held, %d waiting"
                    .formatted(gate.permits(), gate.debt(), gate.free(), holders.get(), gate.waiting());
            if (gate.permits() + gate.debt() - gate.free() != holders.get()) {
                throw new AssertionError("a permit is lost or held twice: " + state);
            }
            Passage passage = gate.rules().passage();
            boolean rateAllows = !paced || !gate.isPaced() || gate.admittedTotal() - admittedBefore < ADMISSIONS;
            if (gate.waiting() > 0
                    && (passage == Passage.CLOSED || (passage == Passage.OPEN && gate.free() > 0 && rateAllows))) {
                throw new AssertionError("somebody waits for nothing: " + state);
            }
        }
    }

    /** Always the same instant; nothing falls due. */
    private static final class StoppedTime implements Time {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public Timer after(long delayNanos, Runnable task) {
            return () -> {};
        }
    }

    private record Race(Step step, Request one, Request other, boolean owes) {

        /** @param crowded whether each thread has a place of its own for permits */
        World world(boolean crowded) {
            return new World(owes, step.paced, crowded);
        }
    }

    private static List<Race> races() {
        List<Race> all = new ArrayList<>();
        for (Step step : Step.values()) {
            for (Request one : Request.values()) {
                for (Request other : Request.values()) {
                    if (one.compareTo(other) <= 0) {
                        all.add(new Race(step, one, other, false));
                        all.add(new Race(step, one, other, true));
                    }
                }
            }
        }
        return all;
    }

    @Test
    void whoeverComesFirstInThreadsThatStartTogether() throws Exception {
        try (Together together = new Together(3)) {
            SplittableRandom random = new SplittableRandom(1);
            for (Race race : races()) {
                for (int round = 0; round < ROUNDS; round++) {
                    World world = race.world(round % 2 == 0);
                    together.run(
                            random,
                            () -> race.step.accept(world),
                            () -> race.one.accept(world),
                            () -> race.other.accept(world));
                    try {
                        world.check();
                    } catch (AssertionError fault) {
                        throw new AssertionError(race + ", round " + round, fault);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("races")
    @EnabledIfSystemProperty(named = "interleavings", matches = "[1-9][0-9]*")
    void whoeverComesFirstInOrdersOfLinchecks(Race race) {
        Lincheck.runConcurrentTest(ORDERS, () -> {
            World world = race.world(true);
            Thread one = new Thread(() -> race.one.accept(world));
            Thread other = new Thread(() -> race.other.accept(world));
            one.start();
            other.start();
            race.step.accept(world);
            join(one);
            join(other);
            world.check();
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Threads that wait for each other turning, not asleep, so that what they do then happens at once. */
    private static final class Together implements AutoCloseable {
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicReferenceArray<Runnable> tasks;
        private final AtomicInteger left = new AtomicInteger();
        private final AtomicReference<Throwable> fault = new AtomicReference<>();
        private volatile int begun;
        private volatile boolean over;

        Together(int size) {
            tasks = new AtomicReferenceArray<>(size);
            for (int i = 1; i < size; i++) {
                int mine = i;
                threads.add(Thread.ofPlatform().daemon().start(() -> work(mine)));
            }
        }

        /** Runs the tasks, each on its thread, the first on the caller's; returns when all have ended. */
        void run(SplittableRandom random, Runnable... all) throws Exception {
            left.set(all.length);
            for (int i = 0; i < all.length; i++) {
                tasks.set(i, after(random.nextInt(APART), all[i]));
            }
            begun++;
            attempt(tasks.get(0));
            while (left.get() > 0) {
                Thread.yield();
            }
            if (fault.get() != null) {
                throw new AssertionError(fault.get());
            }
        }

        private static Runnable after(int turns, Runnable task) {
            return () -> {
                for (int i = 0; i < turns; i++) {
                    Thread.onSpinWait();
                }
                task.run();
            };
        }

        private void work(int mine) {
            for (int done = 0; ; done++) {
                while (begun == done) {
                    if (over) {
                        return;
                    }
                    Thread.yield();
                }
                attempt(tasks.get(mine));
            }
        }

        private void attempt(Runnable task) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                fault.compareAndSet(null, e);
            } finally {
                left.decrementAndGet();
            }
        }

        @Override
        public void close() throws InterruptedException {
            over = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }
}
