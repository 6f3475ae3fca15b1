package dev.headgate.engine.time;

import dev.headgate.engine.supervision.Supervisor;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's clocks, and one supervised daemon thread for timers: the task "headgate-timer". */
public final class SystemTime implements Time, AutoCloseable {

    private static final String TIMER = "headgate-timer";

    private final Supervisor supervisor;
    private final ScheduledThreadPoolExecutor timers;

    /** A clock whose timer reports failures to nobody. */
    public SystemTime() {
        this(Supervisor.silent());
    }

    public SystemTime(Supervisor supervisor) {
        this.supervisor = supervisor;
        timers = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name(TIMER).factory());
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
        ScheduledFuture<?> future = timers.schedule(
                () -> {
                    supervisor.run(TIMER, task::run);
                },
                Math.max(0, delayNanos),
                TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /** Ends the timer's thread. Tasks that have not begun never run. */
    @Override
    public void close() {
        timers.shutdownNow();
    }
}
