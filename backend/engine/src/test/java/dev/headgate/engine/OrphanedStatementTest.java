package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statements whose connection is closed while the server executes them. */
@Timeout(60)
class OrphanedStatementTest extends OnServer {

    private static final Duration SOON = Duration.ofSeconds(15);

    /** No cancel ends it, and it neither reads from its socket nor writes to it. */
    private static final String STUBBORN = """
            DO $$ BEGIN
              FOR i IN 1..600 LOOP
                BEGIN PERFORM pg_sleep(1); EXCEPTION WHEN query_canceled THEN NULL; END;
              END LOOP;
            END $$""";

    @Test
    void nobodyWaitsForItsAnswerSoItEnds() throws Exception {
        Pool pool = engine.open(server.target("main", 4)).open("bank", Fixed.set(1, 1, 2));
        try (Connection beside = server.beside()) {
            CompletableFuture<Void> another = running(beside);
            Lease lease = pool.acquire(LeaseRequest.by("gone"));
            CompletableFuture<Void> orphan = running(lease.connection());
            Await.until("both run", SOON, () -> server.executing("DO $$%") == 2);

            lease.discard();

            Await.until("one has ended", SOON, () -> server.executing("DO $$%") == 1);
            assertThat(another).as("another's of the same role").isNotDone();
            assertThat(orphan).isCompletedExceptionally();
        }
    }

    private static CompletableFuture<Void> running(Connection connection) {
        return CompletableFuture.runAsync(
                () -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(STUBBORN);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                },
                Thread::startVirtualThread);
    }
}
