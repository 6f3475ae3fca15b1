package dev.headgate.engine.time;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/**
 * The engine's clock and timer. Everything that reads the time or acts later gets it handed in. One implementation uses the
 * machine's clocks; the simulator's is virtual.
 */
public interface Time {

    /** The monotonic clock, nanoseconds from an arbitrary origin. Compare by difference. */
    long nanoTime();

    /** The wall clock. */
    Instant now();

    /**
     * Runs a task once, after a delay. The task runs on a thread of the timer and must not block.
     *
     * @param delayNanos from now; 0 or less means as soon as possible
     * @return cancels the task when closed, if it has not begun
     */
    Timer after(long delayNanos, Runnable task);

    /**
     * Blocks this thread until the time has passed, {@link #unpark} is or was called for it, or it is interrupted; may also return for no
     * reason. As {@link LockSupport#parkNanos(Object, long)}.
     *
     * @param blocker what it waits for: thread dumps show it
     */
    default void park(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    /** Ends the thread's {@link #park}, or its next one. Does not block. */
    default void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    /** A task that was scheduled. */
    interface Timer {
        void cancel();
    }
}
