package dev.headgate.lab.pacing;

import dev.headgate.engine.time.Time;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls a listener at the time of each arrival. Times are absolute. If a call is late because the machine was busy, it is
 * made at once and carries the time at which it was due; later arrivals do not move. So the schedule cannot drift, and
 * the listener can measure lateness.
 *
 * <p>Safe for use by several threads. The listener is called on the timer's thread, one call at a time, and must not
 * block.
 */
public final class Pacer {

    private final Time time;
    private final Arrivals arrivals;
    private final LongConsumer listener;
    private final long originNanos;

    private Time.@Nullable Timer timer;
    private boolean running;
    private long generation;
    private long dueNanos;

    /** @param listener told the arrival's due time on {@code time}'s monotonic clock */
    public Pacer(Time time, Arrivals arrivals, LongConsumer listener) {
        this.time = time;
        this.arrivals = arrivals;
        this.listener = listener;
        this.originNanos = time.nanoTime();
    }

    /** Starts the arrivals. Has no effect while it is running. */
    public synchronized void start() {
        if (!running) {
            running = true;
            drawFromNow();
        }
    }

    /** Stops the arrivals. The listener is not called after this returns, until the next {@link #start()}. */
    public synchronized void stop() {
        running = false;
        generation++;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    public synchronized boolean isRunning() {
        return running;
    }

    /** Changes the rate at once, even if the next arrival at the old rate was far away. */
    public synchronized void change(double ratePerSecond, Optional<Tide> tide) {
        arrivals.change(ratePerSecond, tide);
        if (running) {
            stop();
            running = true;
            drawFromNow();
        }
    }

    private void drawFromNow() {
        dueNanos = arrivals.next(sinceOrigin());
        schedule();
    }

    private void schedule() {
        long mine = generation;
        timer = time.after(dueNanos - sinceOrigin(), () -> fire(mine));
    }

    private synchronized void fire(long scheduledGeneration) {
        try {
            while (scheduledGeneration == generation && dueNanos - sinceOrigin() <= 0) {
                long due = dueNanos;
                dueNanos = arrivals.next(due);
                listener.accept(originNanos + due);
            }
        } finally {
            if (scheduledGeneration == generation) {
                schedule(); // also after an arrival that could not be told
            }
        }
    }

    private long sinceOrigin() {
        return time.nanoTime() - originNanos;
    }
}
