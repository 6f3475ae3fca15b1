package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Await;
import dev.headgate.engine.PostgresServer;
import dev.headgate.engine.connect.Orphans.Orphan;
import dev.headgate.engine.time.SystemTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

@Timeout(60)
class ProbeTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    /** The system gives numbers again. */
    @Test
    void aProcessIsEndedIfItIsAsOldAsTheConnectionAndBusy() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                SystemTime time = new SystemTime();
                Connection idle = server.beside();
                Connection busy = server.beside()) {
            CompletableFuture<Void> statement = CompletableFuture.runAsync(() -> {
                try {
                    execute(busy, "SELECT pg_sleep(600)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Probe probe = new Probe(new SocketLedger(1, 0), time);
            Target target = server.target("main", 1);
            Await.until("it runs", SOON, () -> server.executing("%pg_sleep(600)") == 1);

            probe.end(target, List.of(new Orphan(process(busy), time.nanoTime() - TimeUnit.HOURS.toNanos(1))));
            assertThat(server.executing("%pg_sleep(600)")).isEqualTo(1);

            probe.end(
                    target,
                    List.of(new Orphan(process(idle), time.nanoTime()), new Orphan(process(busy), time.nanoTime())));
            Await.until("it has ended", SOON, statement::isDone);
            assertThat(statement).isCompletedExceptionally();
            execute(idle, "SELECT 1");
        }
    }

    private static int process(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
