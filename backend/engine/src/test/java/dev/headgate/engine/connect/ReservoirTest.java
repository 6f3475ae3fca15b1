package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Await;
import dev.headgate.engine.PostgresServer;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** HikariCP on a real server. */
@Timeout(60)
class ReservoirTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    /**
     * HikariCP's closing thread and its shutdown want one monitor, and the shutdown waits 10 s for the closing thread while
     * it has it. Both are made to wait for it here, the shutdown first.
     */
    @Test
    void closingDoesNotWaitForAnEvictionThatWaitsForIt() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                SystemTime time = new SystemTime();
                ScheduledExecutorService housekeeping = Executors.newSingleThreadScheduledExecutor()) {
            SocketLedger ledger = new SocketLedger(4, 0);
            Opener opener = new Opener(
                    "bank",
                    server.target("main", 4),
                    time,
                    ledger,
                    new PoolMeter(),
                    new Outage(time),
                    OrphansTest.none(),
                    () -> {});
            Reservoir reservoir = new Reservoir("bank", opener, 4, Supervisor.silent(), housekeeping);
            reservoir.resize(1, 1);
            Connection borrowed = reservoir.borrow(SOON.toNanos());
            Thread closing = Thread.ofPlatform().unstarted(() -> {
                reservoir.close();
                opener.close(TimeUnit.SECONDS.toNanos(3));
            });

            synchronized (reservoir.hikari.get()) {
                closing.start();
                Await.until("the shutdown waits", SOON, () -> isBlocked("bank-shutdown"));
                reservoir.evict(borrowed);
                Await.until("the eviction waits", SOON, () -> isBlocked("bank:connection-closer"));
            }

            assertThat(closing.join(Duration.ofSeconds(2))).isTrue();
            assertThat(ledger.openNow()).isZero();
        }
    }

    private static boolean isBlocked(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith(name) && thread.getState() == Thread.State.BLOCKED);
    }
}
