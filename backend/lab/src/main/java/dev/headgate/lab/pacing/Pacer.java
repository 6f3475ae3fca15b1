package dev.headgate.lab.pacing;

import dev.headgate.engine.time.Time;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An open loop: calls a listener at the time of each arrival, until the course is over. Times are absolute. If a call is late
 * because the machine was busy, it is made at once and carries the time at which it was due; later arrivals do not move. So the
 * schedule cannot drift, and the listener can measure lateness.
 *
 * <p>Safe for use by several threads. The listener is called on the timer's thread, one call at a time, and must not
 * block.
 */
public final class Pacer implements Generator {

    private final Time time;
    private final Arrivals arrivals;
    private final LongConsumer listener;
    private final Runnable over;
    private final Stopwatch watch;

    private Time.@Nullable Timer timer;
    private long generation;
    private long dueNanos;

    /** @param listener told the arrival's due time on {@code time}'s monotonic clock */
    public Pacer(Time time, Arrivals arrivals, LongConsumer listener) {
        this(time, arrivals, listener, () -> {});
    }

    /** @param over told once all arrivals of the course were told; the same holds for it as for the listener */
    public Pacer(Time time, Arrivals arrivals, LongConsumer listener, Runnable over) {
        this.time = time;
        this.arrivals = arrivals;
        this.listener = listener;
        this.over = over;
        this.watch = new Stopwatch(time);
    }

    @Override
    public synchronized void start() {
        if (watch.start()) {
            drawFromNow();
        }
    }

    @Override
    public synchronized void stop() {
        boolean _ = watch.stop();
        forget();
    }

    private void forget() {
        generation++;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return watch.isRunning();
    }

    @Override
    public synchronized long startedNanos() {
        return watch.startedNanos();
    }

    @Override
    public synchronized long elapsedNanos() {
        return watch.elapsedNanos();
    }

    /** Changes the course at once, even if the next arrival of the old one was far away. Its time goes on. */
    public synchronized void change(Course course) {
        arrivals.change(course);
        if (watch.isRunning()) {
            forget();
            drawFromNow();
        }
    }

    private void drawFromNow() {
        dueNanos = arrivals.next(sinceStart());
        schedule();
    }

    private void schedule() {
        long mine = generation;
        timer = time.after(dueNanos - sinceStart(), () -> fire(mine));
    }

    private synchronized void fire(long scheduledGeneration) {
        try {
            while (scheduledGeneration == generation && dueNanos - sinceStart() <= 0) {
                long due = dueNanos;
                if (arrivals.isOver(due)) {
                    stop();
                    over.run();
                    return;
                }
                dueNanos = arrivals.next(due);
                listener.accept(watch.startedNanos() + due);
            }
        } finally {
            if (scheduledGeneration == generation) {
                schedule(); // also after an arrival that could not be told
            }
        }
    }

    private long sinceStart() {
        return time.nanoTime() - watch.startedNanos();
    }
}
