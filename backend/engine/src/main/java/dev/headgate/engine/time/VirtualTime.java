package dev.headgate.engine.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Time that passes only on command: a queue of tasks that run in the order of their due times, on the thread that calls
 * {@link #runFor}. Tasks with the same due time run in the order in which they were scheduled, so a run is deterministic.
 * For use by one thread.
 *
 * <p>The monotonic clock starts at a negative number, as the machine's may. This reveals code that takes 0 for "never".
 */
public final class VirtualTime implements Time {

    /** The default start of virtual wall clocks. */
    public static final Instant EPOCH = Instant.parse("2026-11-21T12:00:00Z");

    private static final long ORIGIN_NANOS = -Duration.ofHours(1).toNanos();

    private final PriorityQueue<Task> queue =
            new PriorityQueue<>(Comparator.comparingLong(Task::sinceStartNanos).thenComparingLong(Task::order));
    private final Instant start;
    private long sinceStartNanos;
    private long scheduled;

    /** Starts at {@link #EPOCH}. */
    public VirtualTime() {
        this(EPOCH);
    }

    /** @param start the first time of the wall clock */
    public VirtualTime(Instant start) {
        this.start = start;
    }

    @Override
    public long nanoTime() {
        return ORIGIN_NANOS + sinceStartNanos;
    }

    @Override
    public Instant now() {
        return start.plusNanos(sinceStartNanos);
    }

    /** The time that has passed on this clock. */
    public long sinceStartNanos() {
        return sinceStartNanos;
    }

    @Override
    public Timer after(long delayNanos, Runnable task) {
        Task entry = new Task(sinceStartNanos + Math.max(0, delayNanos), scheduled++, task);
        queue.add(entry);
        return () -> entry.cancelled = true;
    }

    /** Runs a task every {@code periodNanos}, the first time after one period, as long as this clock runs. */
    public void every(long periodNanos, Runnable task) {
        if (periodNanos <= 0) {
            throw new IllegalArgumentException("periodNanos must be positive, was " + periodNanos);
        }
        long first = sinceStartNanos + periodNanos;
        queue.add(new Task(first, scheduled++, () -> {
            task.run();
            every(periodNanos, task);
        }));
    }

    /** Lets time pass and runs every task that falls due in it, including at its end. */
    public void runFor(Duration stretch) {
        advance(stretch.toNanos());
    }

    /** The same, in nanoseconds. */
    public void advance(long nanos) {
        runUntil(sinceStartNanos + nanos);
    }

    /** Lets time pass without running tasks, as on a machine that paused: tasks that fall due in it are late. */
    public void standStill(long nanos) {
        sinceStartNanos += nanos;
    }

    /** Runs every task that is due now, without letting time pass. */
    public void runDue() {
        runUntil(sinceStartNanos);
    }

    /** Runs every task up to an instant, counted from the start of this clock. Does nothing if the instant has passed. */
    public void runUntil(long untilSinceStartNanos) {
        for (Task next = queue.peek();
                next != null && next.sinceStartNanos <= untilSinceStartNanos;
                next = queue.peek()) {
            queue.remove();
            sinceStartNanos = Math.max(sinceStartNanos, next.sinceStartNanos);
            if (!next.cancelled) {
                next.action.run();
            }
        }
        sinceStartNanos = Math.max(sinceStartNanos, untilSinceStartNanos);
    }

    /** Tasks that have not run yet. */
    public int pending() {
        return (int) queue.stream().filter(task -> !task.cancelled).count();
    }

    private static final class Task {
        private final long sinceStartNanos;
        private final long order;
        private final Runnable action;
        private boolean cancelled;

        Task(long sinceStartNanos, long order, Runnable action) {
            this.sinceStartNanos = sinceStartNanos;
            this.order = order;
            this.action = action;
        }

        long sinceStartNanos() {
            return sinceStartNanos;
        }

        long order() {
            return order;
        }
    }
}
