package dev.headgate.server;

import dev.headgate.engine.supervision.Supervisor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Does something again and again while Headgate runs, on a supervised virtual thread of its own: from the start of the service, the
 * first time after one period, until it stops. To start or stop it twice does nothing.
 */
public abstract class RepeatedTask implements SmartLifecycle {

    private final Supervisor supervisor;
    private final String name;
    private final Duration period;
    private Supervisor.@Nullable Repeated running;

    /** @param name of the task and its thread */
    protected RepeatedTask(Supervisor supervisor, String name, Duration period) {
        this.supervisor = supervisor;
        this.name = name;
        this.period = period;
    }

    /** Done in each period. May throw: it is told, and done again in the next. */
    protected abstract void turn() throws Exception;

    /** Done once, when the last turn has ended. */
    protected void afterLastTurn() {}

    @Override
    public synchronized void start() {
        if (running == null) {
            running = supervisor.every(name, Thread.ofVirtual(), period, this::turn);
        }
    }

    /** Waits for the turn in progress. */
    @Override
    public synchronized void stop() {
        if (running != null) {
            running.close();
            running = null;
            afterLastTurn();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running != null;
    }
}
