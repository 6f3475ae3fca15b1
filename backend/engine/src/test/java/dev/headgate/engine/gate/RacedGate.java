package dev.headgate.engine.gate;

import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A gate for two requests and the governor to race for. It has two permits, both held, one of them owed where there is a debt. It counts
 * who was admitted and who was told, and so knows whether a race has left the gate as it should.
 */
final class RacedGate {

    /** What a race begins with. */
    enum Setting {
        PLAIN,
        /** A rate that allows {@value RacedGate#ADMISSIONS} more at once. */
        PACED,
        /** One rate with a second gate, which is as the first, and one admission for whoever comes first. */
        SHARING,
        /** Who comes now is turned away if no permit is free; who waits goes on. */
        REJECTING,
        /** The same, with a permit for each of the requests, for the one that waits and for one more. */
        ROOMY
    }

    private static final int ADMISSIONS = 2;
    private static final double PER_SECOND = 10;
    private static final long INTERVAL_NANOS = 100_000_000;

    /** How long a request waits at most. */
    static final long PATIENCE_NANOS = 1_000_000_000;

    final Gate gate;
    final RacedTime time;
    final @Nullable RacedGate neighbour;

    private final Setting setting;
    private final long admittedBefore;
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private Runnable giveUp = () -> {};
    private final List<Thread> sleepers = new ArrayList<>();
    private volatile @Nullable Thread interrupted;
    private volatile @Nullable Throwable fault;

    /** @param crowded whether each thread has a place of its own for permits */
    static RacedGate of(Setting setting, boolean owes, boolean crowded) {
        RacedTime time = new RacedTime(2);
        if (setting != Setting.SHARING) {
            return new RacedGate(setting, owes, crowded, time, null, null);
        }
        SharedRate shared = new SharedRate(PER_SECOND, 1, time.nanoTime());
        return new RacedGate(
                setting, owes, crowded, time, shared, new RacedGate(setting, false, crowded, time, shared, null));
    }

    private RacedGate(
            Setting setting,
            boolean owes,
            boolean crowded,
            RacedTime time,
            @Nullable SharedRate shared,
            @Nullable RacedGate neighbour) {
        this.setting = setting;
        this.time = time;
        this.neighbour = neighbour;
        gate = new Gate(time, rules(Passage.OPEN), () -> {});
        if (crowded) {
            gate.crowd();
        }
        gate.resize(2);
        ask();
        ask();
        if (setting == Setting.PACED) {
            gate.setRate(PER_SECOND, ADMISSIONS, null);
        } else if (setting == Setting.SHARING) {
            gate.setRate(Double.POSITIVE_INFINITY, Limits.UNSPECIFIED, shared);
        }
        if (setting == Setting.ROOMY) {
            gate.resize(6);
        }
        admittedBefore = gate.admittedTotal();
        if (owes) {
            gate.resize(1);
        }
        if (neighbour != null) {
            neighbour.oneWaits();
        }
    }

    /** A request without a thread waits, before the race. */
    void oneWaits() {
        giveUp = ask();
        if (setting == Setting.REJECTING || setting == Setting.ROOMY) {
            gate.setRules(exhausted(WhenExhausted.Mode.REJECT));
        }
    }

    static Rules rules(Passage passage) {
        return new Rules(passage, new WhenExhausted(WhenExhausted.Mode.QUEUE, PATIENCE_NANOS, 10), false);
    }

    static Rules exhausted(WhenExhausted.Mode mode) {
        return new Rules(Passage.OPEN, new WhenExhausted(mode, PATIENCE_NANOS, 10), true);
    }

    // ---- requests

    /** Does what a request does, on its thread. */
    void run(Consumer<RacedGate> request) {
        try {
            request.accept(this);
        } catch (RuntimeException | Error e) {
            fault = e;
        } finally {
            time.ends();
        }
    }

    /** Asks without a thread; returns what leaves the queue. */
    Runnable ask() {
        return ask(() -> {});
    }

    void askAndEnd() {
        ask(this::end);
    }

    private Runnable ask(Runnable then) {
        asked.incrementAndGet();
        return gate.acquireAsync(Long.MAX_VALUE, new Gate.Listener() {
            private final AtomicInteger answers = new AtomicInteger();

            @Override
            public void admitted(long waitedNanos) {
                tell();
                holders.incrementAndGet();
                then.run();
            }

            @Override
            public void refused(Refusal refusal) {
                tell();
            }

            private void tell() {
                told.incrementAndGet();
                if (answers.incrementAndGet() > 1) {
                    fault = new AssertionError("told twice");
                }
            }
        });
    }

    void giveUp() {
        giveUp.run();
    }

    void acquire(long timeoutNanos) {
        try {
            gate.acquire(timeoutNanos);
            holders.incrementAndGet();
        } catch (Refusal refusal) {
            // as it should
        }
    }

    void comeThroughTheDoor(long timeoutNanos) {
        try {
            gate.enter();
            gate.acquireInside(timeoutNanos, "inside");
            holders.incrementAndGet();
        } catch (Refusal refusal) {
            // as it should
        }
    }

    void move() {
        acquire(0);
        end();
    }

    void lookIn() {
        try {
            gate.enter();
            gate.leaveDoor();
        } catch (Refusal refusal) {
            // as it should
        }
    }

    /** Waits on this thread, which may be interrupted meanwhile. */
    void sleep(Consumer<RacedGate> request) {
        Thread me = Thread.currentThread();
        synchronized (sleepers) {
            sleepers.add(me);
        }
        request.accept(this);
        synchronized (sleepers) {
            sleepers.remove(me);
        }
        if (Thread.interrupted() != (interrupted == me)) {
            throw new AssertionError("an interrupt is lost or made up");
        }
    }

    /** Interrupts a thread that waits. */
    void interrupt() {
        synchronized (sleepers) {
            if (!sleepers.isEmpty()) {
                interrupted = sleepers.getFirst();
                time.interrupt(interrupted);
            }
        }
    }

    /** An operator ends the wait of whoever came first. */
    void endTheFirst() {
        for (Queued first : gate.queue(null, 1)) {
            gate.end(first.id());
        }
    }

    void end() {
        holders.decrementAndGet();
        if (!gate.payDebt()) {
            gate.release();
        }
    }

    // ---- after the race

    /** Waits until nothing more happens by itself, then lets time pass until nobody waits. Throws if the gate is not as it should be. */
    void finish() {
        time.settle(0);
        boolean paced = setting == Setting.PACED || setting == Setting.SHARING;
        boolean someLeft = setting == Setting.PACED && gate.admittedTotal() - admittedBefore < ADMISSIONS;
        check(!paced || !gate.isPaced() || someLeft);
        if (paced) {
            for (int i = 0; i < 6; i++) { // longer than the rate takes for all of them, shorter than they wait
                pass(INTERVAL_NANOS);
            }
            check(true);
        }
        pass(5 * PATIENCE_NANOS);
        check(true);
        checkNobodyIsLeft();
    }

    private void pass(long nanos) {
        time.pass(nanos);
        time.settle(0);
    }

    private void check(boolean rateAllows) {
        if (fault != null) {
            throw new AssertionError(fault);
        }
        if (gate.permits() + gate.debt() - gate.free() != holders.get()) {
            throw new AssertionError("a permit is lost or held twice: " + state());
        }
        Passage passage = gate.rules().passage();
        if (gate.waiting() > 0
                && (passage == Passage.CLOSED || (passage == Passage.OPEN && gate.free() > 0 && rateAllows))) {
            throw new AssertionError("somebody waits for nothing: " + state());
        }
        if (setting == Setting.ROOMY && gate.refusedTotal() > 0) {
            throw new AssertionError("somebody was refused beside a free permit");
        }
        if (neighbour != null) {
            neighbour.check(rateAllows);
        }
    }

    private String state() {
        return "%d permits, %d owed, %d free, %d held, %d waiting"
                .formatted(gate.permits(), gate.debt(), gate.free(), holders.get(), gate.waiting());
    }

    private void checkNobodyIsLeft() {
        if (gate.waiting() > 0) {
            throw new AssertionError("a deadline has passed, and somebody waits");
        }
        if (told.get() != asked.get()) {
            throw new AssertionError(asked.get() + " have asked, " + told.get() + " were told");
        }
        gate.setRules(exhausted(WhenExhausted.Mode.REJECT));
        int letIn = 0;
        try {
            for (; letIn <= gate.free(); letIn++) {
                gate.enter();
            }
        } catch (Refusal refusal) {
            // no more are let in than permits are free
        }
        if (letIn != gate.free()) {
            throw new AssertionError("the door has lost count: %d free, %d let in".formatted(gate.free(), letIn));
        }
        if (neighbour != null) {
            neighbour.checkNobodyIsLeft();
        }
    }
}
