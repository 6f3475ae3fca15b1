package dev.headgate.engine.gate;

import dev.headgate.engine.time.Time;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One request in the gate's queue. It ends exactly once, by the one compare-and-set that moves {@code outcome} away from
 * {@link #WAITING}: granted, or refused for one of {@link Refusal.Why}'s reasons.
 *
 * <p>A blocking waiter is a parked thread and may be <em>nudged</em>: it is woken to take a free permit itself, if no
 * arrival is faster. An asynchronous waiter has no thread to wake: the permit is taken for it, and its listener is called.
 */
final class Waiter {

    /** The outcome while the waiter waits. */
    static final Object WAITING = new Object();
    /** The outcome when the waiter has a permit. */
    static final Object GRANTED = new Object();

    private static final VarHandle OUTCOME;
    private static final VarHandle PASSED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OUTCOME = lookup.findVarHandle(Waiter.class, "outcome", Object.class);
            PASSED = lookup.findVarHandle(Waiter.class, "passed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final long arrivedNanos;
    final long deadlineNanos;

    /** Who waits, as whoever made the request said. The gate only hands it out. */
    final Object by;

    /** Whether the modes fail and reject spare it: it was let in at the door, or the rate alone held it back when it came. */
    final boolean stays;

    final @Nullable Thread thread;
    private final Gate.@Nullable Listener listener;

    @SuppressWarnings("UnusedVariable") // through OUTCOME
    private volatile Object outcome = WAITING;

    @SuppressWarnings("UnusedVariable") // through PASSED
    private int passed;

    Waiter(
            long arrivedNanos,
            long deadlineNanos,
            Object by,
            boolean stays,
            @Nullable Thread thread,
            Gate.@Nullable Listener listener) {
        this.by = by;
        this.stays = stays;
        this.arrivedNanos = arrivedNanos;
        this.deadlineNanos = deadlineNanos;
        this.thread = thread;
        this.listener = listener;
    }

    /**
     * {@link #WAITING}, {@link #GRANTED} or one of {@link Refusal.Why}. Another thread may end the waiter at any moment, so
     * several checks must use one read value.
     */
    Object outcome() {
        return outcome;
    }

    @SuppressWarnings("ReferenceEquality") // the marker is what it is by identity
    boolean isWaiting() {
        return outcome == WAITING;
    }

    boolean isAsynchronous() {
        return listener != null;
    }

    /** Ends the waiter. Only the first caller succeeds. */
    boolean end(Object how) {
        return OUTCOME.compareAndSet(this, WAITING, how);
    }

    /** Counts an arrival that passed this waiter. The count may miss a few: it bounds unfairness and is no statistic. */
    void notePassed() {
        PASSED.setOpaque(this, (int) PASSED.getOpaque(this) + 1);
    }

    int passed() {
        return (int) PASSED.getOpaque(this);
    }

    /** Wakes the waiting thread. Does nothing for an asynchronous waiter. */
    void nudge(Time time) {
        if (thread != null) {
            time.unpark(thread);
        }
    }

    /** Notifies the waiter of its end. Called after {@link #end} succeeded on a thread other than the waiter's. */
    void tell(Time time) {
        if (listener == null) {
            nudge(time);
        } else if (outcome instanceof Refusal.Why why) {
            listener.refused(refusal(why, time.nanoTime()));
        } else {
            listener.admitted(Math.max(0, time.nanoTime() - arrivedNanos));
        }
    }

    /** Computed when somebody looks: a request carries no number. */
    WaiterId id() {
        return new WaiterId(arrivedNanos, System.identityHashCode(this));
    }

    Refusal refusal(Refusal.Why why, long nowNanos) {
        return new Refusal(why, Math.max(0, nowNanos - arrivedNanos));
    }
}
