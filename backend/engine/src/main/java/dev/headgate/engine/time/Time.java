package dev.headgate.engine.time;

import java.time.Instant;

/**
 * The clock and the timer of the engine, handed to everything that asks for the time or acts later. One implementation
 * reads the machine's clocks; the simulator's is virtual.
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
