package dev.headgate.lab.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.lab.Client;
import dev.headgate.lab.pools.FixedPool;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts on a real PostgreSQL server. */
@Timeout(120)
class ScriptTest {

    private static EmbeddedPostgres server;
    private static Connection connection;

    private final List<Long> spent = new ArrayList<>();
    private final Client client = new Client(new SplittableRandom(3), spent::add);

    @BeforeAll
    static void open() throws Exception {
        server = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .start();
        connection = server.getPostgresDatabase().getConnection();
    }

    @AfterAll
    static void close() throws Exception {
        connection.close();
        server.close();
    }

    @BeforeEach
    void empty() throws SQLException {
        execute("DROP TABLE IF EXISTS booked");
        execute("CREATE TABLE booked (id int PRIMARY KEY, amount numeric, note text, at timestamptz)");
    }

    private static void execute(String sql) throws SQLException {
        try (java.sql.Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String one(String sql) throws SQLException {
        try (java.sql.Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    @Test
    void parametersTakeTheTypesThatTheStatementNeedsAndAreNeverPasted() throws Exception {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("id", "random(7, 7)");
        parameters.put("amount", ":id / 2.0");
        parameters.put("note", "'it''s; DROP TABLE booked --'");
        parameters.put("at", "'2026-11-24 12:00:00+00'");
        Script.ofStatements(parameters, List.of("INSERT INTO booked VALUES (:id, :amount, :note, :at)"), 0, Map.of())
                .commit(connection, client);
        assertThat(one("SELECT id || '|' || amount || '|' || note || '|' || extract(epoch FROM at)::int FROM booked"))
                .isEqualTo("7|3.5|it's; DROP TABLE booked --|1795521600");
    }

    /** The driver holds a row whole, and every row of a result: one statement could take the heap of the service. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT repeat('x', 20000000)",
                "SELECT repeat('x', 1000) FROM generate_series(1, 10000)",
                "DO $$ BEGIN RAISE EXCEPTION '%', repeat('x', 20000000); END $$"
            })
    void anAnswerThatIsTooLongEndsItsConnectionAndSaysSo(String sql) throws Exception {
        Script script = Script.ofStatements(Map.of(), List.of(sql), 0, Map.of());
        Script fitting = Script.ofStatements(Map.of(), List.of("SELECT repeat('x', 1000000)"), 0, Map.of());
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database = engine.open(
                    Target.of("main", "127.0.0.1", server.getPort(), "postgres", "postgres", "postgres", 3));
            Pool pool = FixedPool.open(database, "bank", 1);
            try (Lease lease = pool.acquire(LeaseRequest.by("tester"))) {
                assertThatThrownBy(() -> script.commit(lease.connection(), client))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("line 1: the server's answer has more than 1048576 bytes");
            }
            try (Lease lease = pool.acquire(LeaseRequest.by("tester"))) {
                fitting.commit(lease.connection(), client);
                fitting.commit(lease.connection(), client);
            }
        }
    }

    @Test
    void statementsOfAListAreOneTransactionWithThinkingBetween() throws Exception {
        Script script = Script.ofStatements(
                Map.of(), List.of("INSERT INTO booked VALUES (1)", "INSERT INTO booked VALUES (1)"), 5, Map.of());
        assertThatThrownBy(() -> script.commit(connection, client))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("duplicate key");
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(one("SELECT count(*) FROM booked")).isEqualTo("0");
        assertThat(spent).hasSize(1);
    }

    @Test
    void statementsOfAScriptAreCommittedAsItSays() throws Exception {
        Script script = Script.ofPgbench("""
                \\set base 10 * :scale
                INSERT INTO booked VALUES (:base);
                BEGIN;
                INSERT INTO booked VALUES (:base + 1);
                ROLLBACK;
                \\sleep 3 ms
                BEGIN;
                INSERT INTO booked VALUES (:base + 2);
                END;
                INSERT INTO booked VALUES (:base);
                """, Map.of("scale", 2L));
        assertThatThrownBy(() -> script.commit(connection, client)).hasMessageContaining("duplicate key");
        assertThat(one("SELECT string_agg(id::text, ',' ORDER BY id) FROM booked"))
                .isEqualTo("20,22");
        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(spent).containsExactly(3_000_000L);
    }

    @Test
    void ofALargeResultSoManyRowsAreRead() throws Exception {
        Script.ofPgbench("SELECT * FROM generate_series(1, 20000);", Map.of()).commit(connection, client);
        assertThat(one("SELECT 1")).isEqualTo("1");
    }

    /** A row may have no column, and the driver would open the cursor of a {@code refcursor} by itself. */
    @ParameterizedTest
    @ValueSource(strings = {"SELECT FROM generate_series(1, 3)", "SELECT 'nowhere'::refcursor"})
    void ofAResultNoValueIsAskedFor(String sql) throws Exception {
        Script.ofPgbench(sql, Map.of()).commit(connection, client);
        assertThat(one("SELECT 1")).isEqualTo("1");
    }

    /** As pgbench writes it: half of an even number is the key of a row. */
    @Test
    void aNumberWithoutAFractionIsWrittenWithoutOne() throws Exception {
        Script.ofPgbench("""
                \\set id 0.5 * 100
                \\set amount -0.25 * :id
                INSERT INTO booked VALUES (:id, :amount);
                INSERT INTO booked VALUES (:id + 1, 1);
                """, Map.of()).commit(connection, client);
        assertThat(one("SELECT string_agg(id || ' ' || amount, ',' ORDER BY id) FROM booked"))
                .isEqualTo("50 -12.5,51 1");
    }

    @Test
    void aValueThatCannotBeComputedNamesItsLine() throws Exception {
        Script script = Script.ofPgbench("\\set n random(0, 9)\n\\set a 1 / :n\nSELECT :a::int", Map.of());
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 1_000; i++) {
                        script.commit(connection, client);
                    }
                })
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("line 2: division by zero");
    }
}
