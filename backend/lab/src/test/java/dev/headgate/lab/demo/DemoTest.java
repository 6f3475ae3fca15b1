package dev.headgate.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.time.SystemTime;
import dev.headgate.lab.Application;
import dev.headgate.lab.Client;
import dev.headgate.lab.Mix;
import dev.headgate.lab.StandInPool;
import dev.headgate.lab.Workload;
import dev.headgate.lab.WorkloadStatus;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class DemoTest {

    private static EmbeddedPostgres server;
    private static Connection connection;

    @BeforeAll
    static void setUp() throws Exception {
        server = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .start();
        try (Connection superuser = server.getPostgresDatabase().getConnection();
                Statement statement = superuser.createStatement()) {
            statement.execute("CREATE ROLE demo LOGIN");
            statement.execute("CREATE DATABASE demo OWNER demo");
        }
        connection = connect();
        Demo.setUp(connection, "demo");
    }

    @AfterAll
    static void tearDown() throws Exception {
        connection.close();
        server.close();
    }

    static List<Application> applications() {
        return Demo.applications();
    }

    @Test
    void settingUpAgainKeepsWhatIsThere() throws SQLException {
        execute("UPDATE auction.users SET nickname = 'renamed' WHERE id = 1");
        Demo.setUp(connection, "demo");

        assertThat(number("SELECT count(*) FROM auction.users WHERE nickname = 'renamed'"))
                .isEqualTo(1);
        assertThat(number("SELECT count(*) FROM bank.pgbench_accounts")).isEqualTo(100_000);
        assertThat(number("SELECT count(*) FROM gallery.portraits")).isEqualTo(1_000);
        assertThat(connection.getAutoCommit()).isTrue();
    }

    @Test
    void portraitsAreTheSameInEveryDatabaseAndReplaceNoiseOfEarlierVersions() throws SQLException {
        assertThat(number("SELECT count(*) FROM gallery.portraits WHERE substring(image FOR 4) = '\\x89504e47'"))
                .isEqualTo(1_000);
        assertThat(image(3)).isEqualTo(Portrait.png(3));

        execute("UPDATE gallery.portraits SET image = convert_to(repeat('*', 7168), 'UTF8'), name = 'Sitter ' || id");
        execute("UPDATE gallery.portraits SET name = 'An operator', image = 'a picture of theirs' WHERE id = 9");
        Demo.setUp(connection, "demo");

        assertThat(image(3)).isEqualTo(Portrait.png(3));
        assertThat(number("SELECT count(*) FROM gallery.portraits WHERE name LIKE 'Sitter%'"))
                .isZero();
        assertThat(number("SELECT count(*) FROM gallery.portraits WHERE name = 'An operator'"))
                .isEqualTo(1);
        assertThat(connection.getAutoCommit()).isTrue();
    }

    @Test
    void aSetUpThatIsCutOffLeavesNothing() throws SQLException {
        assertThatThrownBy(() -> Schema.ensure(connection, "half", connection -> {
                    Schema.execute(connection, "CREATE TABLE half.done (id int)");
                    throw new SQLException("cut off");
                }))
                .hasMessage("cut off");

        assertThat(number("SELECT count(*) FROM pg_namespace WHERE nspname = 'half'"))
                .isZero();
        assertThat(connection.getAutoCommit()).isTrue();
    }

    @Test
    void theBanksTablesArePgbenchsOwn() throws SQLException {
        try (Connection pgbench = connect();
                Statement statement = pgbench.createStatement();
                ResultSet rows = statement.executeQuery("""
                        SELECT string_agg(attrelid::regclass || '.' || attname || ' '
                            || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' ELSE '' END,
                            ', ' ORDER BY attrelid::regclass::text, attnum)
                        FROM pg_attribute
                        WHERE attnum > 0 AND attrelid IN ('pgbench_accounts'::regclass, 'pgbench_branches'::regclass,
                            'pgbench_tellers'::regclass, 'pgbench_history'::regclass)""")) {
            rows.next();
            assertThat(rows.getString(1))
                    .isEqualTo(String.join(
                            ", ",
                            "pgbench_accounts.aid integer not null",
                            "pgbench_accounts.bid integer",
                            "pgbench_accounts.abalance integer",
                            "pgbench_accounts.filler character(84)",
                            "pgbench_branches.bid integer not null",
                            "pgbench_branches.bbalance integer",
                            "pgbench_branches.filler character(88)",
                            "pgbench_history.tid integer",
                            "pgbench_history.bid integer",
                            "pgbench_history.aid integer",
                            "pgbench_history.delta integer",
                            "pgbench_history.mtime timestamp without time zone",
                            "pgbench_history.filler character(22)",
                            "pgbench_tellers.tid integer not null",
                            "pgbench_tellers.bid integer",
                            "pgbench_tellers.tbalance integer",
                            "pgbench_tellers.filler character(84)"));
        }
    }

    @ParameterizedTest
    @MethodSource("applications")
    void everyKindOfTransactionSucceeds(Application application) throws Exception {
        connection.setAutoCommit(false);
        try {
            for (Mix.Entry entry : application.mix().entries()) {
                for (int seed = 0; seed < 20; seed++) {
                    entry.transaction().run(connection, new Client(new SplittableRandom(seed), nanos -> {}));
                    connection.commit();
                }
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @ParameterizedTest
    @MethodSource("applications")
    void runsUnderLoadWithoutAnError(Application application) throws Exception {
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            connections.add(connect());
        }
        StandInPool pool = new StandInPool(connections);
        try (SystemTime time = new SystemTime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Workload workload = new Workload(application, () -> Optional.of(pool), time, threads, nanos -> {}, 1);
            workload.setRatePerSecond(100);
            workload.start();
            await(() -> leases(pool) >= 150);
            assertThat(workload.stopAndAwait(Duration.ofSeconds(30))).isTrue();

            WorkloadStatus status = workload.status();
            assertThat(status.lastError()).isEmpty();
            assertThat(status.errors()).isZero();
            assertThat(status.refused()).isZero();
            assertThat(status.inFlight()).isZero();
            assertThat(status.latency().count()).isEqualTo(leases(pool));
            assertThat(pool.leases.keySet())
                    .isSubsetOf(application.mix().entries().stream()
                            .map(Mix.Entry::holder)
                            .toList());
        } finally {
            for (Connection each : connections) {
                each.close();
            }
        }
    }

    @Test
    void theBanksBooksBalance() throws Exception {
        everyKindOfTransactionSucceeds(new Bank());

        long branches = number("SELECT sum(bbalance) FROM bank.pgbench_branches");
        assertThat(branches).isNotZero();
        assertThat(number("SELECT sum(abalance) FROM bank.pgbench_accounts")).isEqualTo(branches);
        assertThat(number("SELECT sum(tbalance) FROM bank.pgbench_tellers")).isEqualTo(branches);
        assertThat(number("SELECT sum(delta) FROM bank.pgbench_history")).isEqualTo(branches);
    }

    private static long leases(StandInPool pool) {
        return pool.leases.values().stream().mapToLong(count -> count.sum()).sum();
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("in time").isNegative();
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(server.getJdbcUrl("demo", "demo"));
    }

    private static void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static byte[] image(int id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT image FROM gallery.portraits WHERE id = " + id)) {
            row.next();
            return row.getBytes(1);
        }
    }

    private static long number(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
