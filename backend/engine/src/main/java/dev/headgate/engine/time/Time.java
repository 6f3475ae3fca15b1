package dev.headgate.engine.time;

import java.time.Instant;

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

    /** A task that was scheduled. */
    interface Timer {
        void cancel();
    }
}
