package dev.headgate.server.store;

import dev.headgate.engine.supervision.Supervisor;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Conditional;
import org.springframework.stereotype.Component;

/**
 * Restarts the embedded server when it has ended, and retries until it starts. Each failed attempt is a failure of the task
 * "headgate-store" with PostgreSQL's message, and so raises an alarm.
 */
@Component
@Conditional(EmbeddedServerWanted.class)
class ServerWatch implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(ServerWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final EmbeddedServer server;
    private final Supervisor supervisor;
    private Supervisor.@Nullable Repeated watching;

    ServerWatch(EmbeddedServer server, Supervisor supervisor) {
        this.server = server;
        this.supervisor = supervisor;
    }

    private void look() throws IOException {
        if (server.revive()) {
            log.warn("The embedded PostgreSQL had ended and was started again");
        }
    }

    @Override
    public synchronized void start() {
        if (watching == null) {
            watching = supervisor.every("headgate-store", Thread.ofVirtual(), PERIOD, this::look);
        }
    }

    @Override
    public synchronized void stop() {
        if (watching != null) {
            watching.close();
            watching = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return watching != null;
    }

    /** Starts before everything that needs the store, and stops after it. */
    @Override
    public int getPhase() {
        return -3;
    }
}
