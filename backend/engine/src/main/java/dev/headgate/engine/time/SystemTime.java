package dev.headgate.engine.time;

import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's clocks, and one daemon thread for timers. */
public final class SystemTime implements Time, AutoCloseable {

    private final ScheduledThreadPoolExecutor timers;

    public SystemTime() {
        timers = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("headgate-timer").factory());
        timers.setRemoveOnCancelPolicy(true);
        timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public Timer after(long delayNanos, Runnable task) {
        ScheduledFuture<?> future = timers.schedule(task, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /** Ends the timer's thread; tasks that have not begun never run. */
    @Override
    public void close() {
        timers.shutdownNow();
    }
}
