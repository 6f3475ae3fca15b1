package dev.headgate.lab;

import dev.headgate.engine.time.Time;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock that moves when it is told to, and runs what became due on the way. */
public final class VirtualTime implements Time {

    private record Task(long dueNanos, long order, Runnable action) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::dueNanos).thenComparingLong(Task::order));
    private long nowNanos = 1_000_000_000_000L;
    private long order;

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(nowNanos);
    }

    @Override
    public Timer after(long delayNanos, Runnable action) {
        Task task = new Task(nowNanos + Math.max(0, delayNanos), order++, action);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** Moves the clock, stopping at each task on the way. */
    public void advance(long nanos) {
        long end = nowNanos + nanos;
        while (!tasks.isEmpty() && tasks.peek().dueNanos() <= end) {
            Task task = tasks.remove();
            nowNanos = Math.max(nowNanos, task.dueNanos());
            task.action().run();
        }
        nowNanos = end;
    }

    /** Moves the clock without running anything: a machine that stood still. */
    public void standStill(long nanos) {
        nowNanos += nanos;
    }
}
