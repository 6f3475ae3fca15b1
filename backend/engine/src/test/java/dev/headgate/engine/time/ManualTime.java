package dev.headgate.engine.time;

import java.time.Instant;
import java.util.PriorityQueue;

/** Time that passes when the test says so. One thread. */
public final class ManualTime implements Time {

    private record Task(long atNanos, long order, Runnable action, boolean[] cancelled) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int byTime = Long.compare(atNanos, other.atNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private long nanos = 1_000_000_000L;
    private long order;

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(nanos);
    }

    @Override
    public Timer after(long delayNanos, Runnable task) {
        boolean[] cancelled = new boolean[1];
        tasks.add(new Task(nanos + Math.max(0, delayNanos), order++, task, cancelled));
        return () -> cancelled[0] = true;
    }

    /** Lets time pass, running what is due on the way. */
    public void advance(long byNanos) {
        long until = nanos + byNanos;
        while (!tasks.isEmpty() && tasks.peek().atNanos() <= until) {
            Task next = tasks.remove();
            nanos = Math.max(nanos, next.atNanos());
            if (!next.cancelled()[0]) {
                next.action().run();
            }
        }
        nanos = until;
    }

    public void advanceMillis(long millis) {
        advance(millis * 1_000_000);
    }
}
