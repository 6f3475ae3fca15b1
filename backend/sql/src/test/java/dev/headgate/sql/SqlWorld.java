package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.wire.Directory;
import dev.headgate.wire.LoopListener;
import dev.headgate.wire.PoolMode;
import dev.headgate.wire.RelayLoops;
import dev.headgate.wire.SessionState;
import dev.headgate.wire.Turning;
import dev.headgate.wire.UnnamedStatements;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;

/** An engine for SQL before a real PostgreSQL, with one domain. */
final class SqlWorld implements AutoCloseable {

    private static final long MOST = 64 << 20;

    final EmbeddedPostgres server;
    final Engine engine = Engine.start("test", EngineListener.NONE);
    final Database database;
    final RelayLoops loops;
    final SqlEngine sql;
    private final List<SqlSession> opened = new ArrayList<>();

    SqlWorld() throws IOException {
        server = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .start();
        database = database("main", server.getPort());
        MemoryAccount memory = new MemoryAccount(MOST, RelayLoops.PORTIONS);
        loops = RelayLoops.open(1, true, new Silent(), memory, Supervisor.silent());
        sql = new SqlEngine(loops, false);
    }

    /** The server, reached at some port. */
    Database database(String name, int port) {
        return engine.open(Target.of(name, "127.0.0.1", port, "postgres", "postgres", "postgres", 60)
                .withSslMode(Target.SslMode.DISABLE));
    }

    static final class Silent implements LoopListener {
        @Override
        public void stalled(Turning loop, Instant since, String threads) {}

        @Override
        public void turnsAgain(Turning loop, Duration stood) {}
    }

    Directory.Domain domain(String name, int connections) {
        return domain(name, connections, WhenExhausted.queue(10_000, 10_000));
    }

    Directory.Domain domain(String name, int connections, WhenExhausted exhausted) {
        return domain(database, name, connections, exhausted);
    }

    static Directory.Domain domain(Database database, String name, int connections, WhenExhausted exhausted) {
        Limits limits = Limits.unbounded().withFloor(1).withCeiling(connections).because("fixed for the test");
        Pool pool = database.open(name, PolicySet.of(1, exhausted, new PolicySet.Member("fixed", view -> limits)));
        return new Directory.Domain(pool, PoolMode.TRANSACTION, 100, SessionState.PIN, UnnamedStatements.AUTO);
    }

    SqlSession open(Directory.Domain domain) {
        return open(domain, Caller.named("test"));
    }

    SqlSession open(Directory.Domain domain, Caller caller) {
        SqlSession session = sql.open(domain, caller);
        opened.add(session);
        return session;
    }

    /** Runs a round and waits for its results. @throws SqlFailure of the statement that failed */
    static List<Result> run(SqlSession session, Query... queries) throws SqlFailure, InterruptedException {
        try {
            return Result.of(session, List.of(queries), MOST)
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SqlFailure failure) {
                throw failure;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("no answer came", e);
        }
    }

    /** A connection past Headgate. */
    Connection direct() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    /** Ends every session and waits until none holds a connection. */
    void endAll() throws Exception {
        for (SqlSession session : opened) {
            session.close();
            session.ended().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
        opened.clear();
    }

    /** Compares the ledgers with the server's connections, and ends. */
    @Override
    public void close() throws IOException {
        try {
            assertExactLedgers();
        } finally {
            loops.close();
            engine.close();
            server.close();
        }
    }

    /**
     * Every entry is a connection of a pool, and one that the server has. Waits for what is being opened or closed just now, and for the
     * probes to be gone. The audit repairs a leak meanwhile, so one that has repaired anything fails the test.
     */
    private void assertExactLedgers() {
        Collection<Database> databases = engine.databases();
        Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            int entries =
                    databases.stream().mapToInt(each -> each.status().open()).sum();
            assertThat(entries).as("entries, and the server's connections").isEqualTo(backends());
            assertThat(entries)
                    .as("entries, and connections of pools")
                    .isEqualTo(databases.stream()
                            .flatMap(each -> each.pools().stream())
                            .mapToInt(pool -> pool.connections().size())
                            .sum());
        });
        assertThat(databases)
                .allSatisfy(each -> assertThat(each.status().audit().repaired())
                        .as("differences that the audit of %s has repaired", each.name())
                        .isZero());
    }

    /** Connections as the server counts them, but for the one that asks. */
    private int backends() throws SQLException {
        try (Connection direct = direct();
                Statement statement = direct.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
