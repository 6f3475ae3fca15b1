package dev.headgate.engine;

import dev.headgate.engine.connect.MeteredConnection;
import dev.headgate.engine.supervision.Supervisor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Where HikariCP looks after idle and old connections: the supervised task "headgate-housekeeping", on as many virtual threads as
 * connections may be looked after at once. Each blocks while a server does not answer. Without a supervisor, a periodic task would
 * end unheard at its first exception.
 */
final class Housekeeping extends ScheduledThreadPoolExecutor {

    private static final String TASK = "headgate-housekeeping";
    private static final int THREADS = 256;

    private final Supervisor supervisor;

    Housekeeping(Supervisor supervisor) {
        super(THREADS, Thread.ofVirtual().name(TASK + "-", 1).factory());
        this.supervisor = supervisor;
        setRemoveOnCancelPolicy(true);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return super.schedule(supervised(command), delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        return super.scheduleWithFixedDelay(supervised(command), initial, delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
        return super.scheduleAtFixedRate(supervised(command), initial, period, unit);
    }

    private Runnable supervised(Runnable command) {
        Runnable task = MeteredConnection.lookingAfter(command);
        return () -> {
            boolean _ = supervisor.run(TASK, task::run);
        };
    }
}
