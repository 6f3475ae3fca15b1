package dev.headgate.server.store;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.RepeatedTask;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Conditional;
import org.springframework.stereotype.Component;

/**
 * Restarts the embedded server when it has ended, and retries until it starts. Each failed attempt is a failure of the task
 * "headgate-store" with PostgreSQL's message, and so raises an alarm.
 */
@Component
@Conditional(EmbeddedServerWanted.class)
class ServerWatch extends RepeatedTask {

    private static final Logger log = LoggerFactory.getLogger(ServerWatch.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final EmbeddedServer server;

    ServerWatch(EmbeddedServer server, Supervisor supervisor) {
        super(supervisor, "headgate-store", PERIOD);
        this.server = server;
    }

    @Override
    protected void turn() throws IOException {
        if (server.revive()) {
            log.warn("The embedded PostgreSQL had ended and was started again");
        }
    }

    /** Starts before everything that needs the store, and stops after it. */
    @Override
    public int getPhase() {
        return -3;
    }
}
