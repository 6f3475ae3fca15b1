package dev.headgate.lab.pacing;

import dev.headgate.engine.time.Time;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells a listener of each arrival when its time has come. Times are absolute: an arrival that is told late (the machine
 * was busy) is told at once, with the time it was due, and moves none of those after it. So the schedule cannot drift,
 * and lateness is the listener's to count.
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

    /** Does nothing if it runs. */
    public synchronized void start() {
        if (!running) {
            running = true;
            drawFromNow();
        }
    }

    /** No arrival is told after this returns, until the next {@link #start()}. */
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

    /** Takes effect at once, however far away the next arrival was at the old rate. */
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
