package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;

/** What the next one to lease a connection finds of the one before: nothing. The pool has one connection. */
@Timeout(60)
class SessionResetTest extends OnServer {

    @FunctionalInterface
    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    private Pool pool;

    @BeforeAll
    static void createRoleAndTable() throws SQLException {
        try (Connection beside = server.beside();
                Statement statement = beside.createStatement()) {
            statement.execute("CREATE ROLE clerk; CREATE TABLE accounts (id int)");
        }
    }

    @BeforeEach
    void open() {
        pool = engine.open(server.target("main", 2)).open("bank", Fixed.set(1, 1, 1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        SET ROLE clerk                                | SELECT current_user
        SET search_path TO pg_catalog                 | SHOW search_path
        SELECT set_config('work_mem', '7MB', false)   | SHOW work_mem
        CREATE TEMP TABLE t (id int)                  | SELECT count(*) FROM pg_class WHERE relpersistence = 't'
        CREATE TEMP TABLE t AS SELECT 1               | SELECT count(*) FROM pg_class WHERE relpersistence = 't'
        SELECT pg_advisory_lock(42)                   | SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
        LISTEN news                                   | SELECT count(*) FROM pg_listening_channels()
        PREPARE p AS SELECT 1                         | SELECT count(*) FROM pg_prepared_statements WHERE from_sql
        BEGIN                                         | SELECT now() = statement_timestamp()
        BEGIN; SET ROLE clerk                         | SELECT current_user
        BEGIN; INSERT INTO accounts VALUES (1)        | SELECT count(*) FROM accounts
        """)
    void whatStatementsLeaveIsGone(String statement, String look) throws Exception {
        isGone(connection -> execute(connection, statement), look);
        isGone(
                connection -> {
                    for (String each : statement.split("; ")) {
                        try (PreparedStatement prepared = connection.prepareStatement(each)) {
                            prepared.execute();
                        }
                    }
                },
                look);
    }

    @Test
    void whatTheConnectionsMethodsLeaveIsGone() throws Exception {
        isGone(connection -> connection.setSchema("pg_catalog"), "SHOW search_path");
        isGone(connection -> connection.setClientInfo("ApplicationName", "mine"), "SHOW application_name");
        isGone(
                connection -> execute((Connection) connection.unwrap(PGConnection.class), "SET ROLE clerk"),
                "SELECT current_user");
    }

    @Test
    void holdabilityIsTheDriversAgain() throws Exception {
        try (Connection connection = pool.dataSource("careless").getConnection()) {
            connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT);
            connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT);
            assertThat(connection.getHoldability()).isEqualTo(ResultSet.HOLD_CURSORS_OVER_COMMIT);
        }
        try (Connection connection = pool.dataSource("next").getConnection()) {
            assertThat(connection.getHoldability()).isEqualTo(ResultSet.CLOSE_CURSORS_AT_COMMIT);
        }
    }

    @Test
    void aResetLeavesWhatTheDriverAndHeadgateHaveSet() throws Exception {
        for (String setting : new String[] {"application_name", "extra_float_digits", "datestyle", "timezone"}) {
            isGone(
                    connection -> execute(connection, "SET " + setting + " TO DEFAULT; SET ROLE clerk"),
                    "SHOW " + setting);
        }
        assertThat(only("SHOW application_name")).isEqualTo("headgate bank");
    }

    @Test
    void aLeaseThatSetNothingSendsNothingAtItsEnd() throws Exception {
        assertThat(sentAtTheEndOf(connection -> execute(connection, "SELECT 1")))
                .isZero();
        assertThat(sentAtTheEndOf(connection -> {
                    connection.setAutoCommit(false);
                    execute(connection, "INSERT INTO accounts VALUES (2)");
                    execute(connection, "DELETE FROM accounts");
                    connection.commit();
                }))
                .isZero();
        assertThat(sentAtTheEndOf(connection -> execute(connection, "SET ROLE clerk")))
                .isEqualTo(1);
    }

    @Test
    void bySettingTheNextBorrowerFindsItAsInOtherPools() throws Exception {
        try (Connection connection =
                pool.dataSource("careless", SessionReset.NEVER).getConnection()) {
            execute(connection, "SET ROLE clerk");
        }
        assertThat(only("SELECT current_user")).isEqualTo("clerk");
        isGone(connection -> execute(connection, "RESET ROLE; SET ROLE clerk"), "SELECT 1");
    }

    private long sentAtTheEndOf(Use use) throws SQLException {
        long before;
        try (Connection connection = pool.dataSource("counted").getConnection()) {
            use.of(connection);
            before = pool.connections().getFirst().requests();
        }
        return pool.connections().getFirst().requests() - before;
    }

    /** By the same physical connection, which is reset and not replaced. */
    private void isGone(Use use, String look) throws SQLException {
        String found = only(look);
        String pid = only("SELECT pg_backend_pid()");
        try (Connection connection = pool.dataSource("careless").getConnection()) {
            use.of(connection);
        }
        assertThat(only(look)).isEqualTo(found);
        assertThat(only("SELECT pg_backend_pid()")).isEqualTo(pid);
    }

    private String only(String sql) throws SQLException {
        try (Connection connection = pool.dataSource("next").getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
