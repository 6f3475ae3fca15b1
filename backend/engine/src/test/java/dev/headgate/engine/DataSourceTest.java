package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.engine.gate.Gate;
import dev.headgate.spi.WhenExhausted;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.jdbc.PgConnection;

/** What JDBC promises of a DataSource and its connections, on a real server. */
@Timeout(60)
class DataSourceTest extends OnServer {

    /** A way from a connection to a connection. */
    @FunctionalInterface
    private interface Way {
        Connection from(Connection connection) throws SQLException;
    }

    /** A use of something that a connection gave. */
    @FunctionalInterface
    private interface Use {
        void run() throws SQLException;
    }

    private Pool pool;
    private Gate gate;
    private DataSource source;

    @BeforeEach
    void openDatabase() {
        pool = engine.open(server.target("main", 4)).open("bank", Fixed.set(1, 1, 1, WhenExhausted.queue(20_000, 100)));
        gate = ((ManagedPool) pool).gate();
        source = pool.dataSource("legacy code");
    }

    @Test
    void everyWayBackEndsAtTheCallersConnection() throws Exception {
        try (Connection connection = source.getConnection()) {
            for (Map.Entry<String, Way> way : ways().entrySet()) {
                assertThat(way.getValue().from(connection)).as(way.getKey()).isSameAs(connection);
            }
        }
        for (Map.Entry<String, Way> way : ways().entrySet()) {
            Connection connection = source.getConnection();
            way.getValue().from(connection).close();
            assertThat(connection.isClosed()).as(way.getKey()).isTrue();
            assertThat(gate.inUse()).as(way.getKey()).isZero();
        }
    }

    private static Map<String, Way> ways() {
        Map<String, Way> ways = new LinkedHashMap<>();
        ways.put("statement", c -> c.createStatement().getConnection());
        ways.put("prepared statement", c -> c.prepareStatement("SELECT 1").getConnection());
        ways.put("callable statement", c -> c.prepareCall("{ ? = call pi() }").getConnection());
        ways.put("metadata", c -> c.getMetaData().getConnection());
        ways.put("result set", c -> select(c, "SELECT 1").getStatement().getConnection());
        ways.put(
                "metadata's result set",
                c -> c.getMetaData().getSchemas().getStatement().getConnection());
        ways.put("array's result set", c -> {
            ResultSet row = select(c, "SELECT ARRAY[1, 2]");
            row.next();
            return row.getArray(1).getResultSet().getStatement().getConnection();
        });
        ways.put("generated keys", c -> {
            Statement statement = c.createStatement();
            statement.execute("SELECT 1", Statement.RETURN_GENERATED_KEYS);
            return statement.getGeneratedKeys().getStatement().getConnection();
        });
        ways.put("unwrap", c -> c.unwrap(Connection.class));
        return ways;
    }

    private static ResultSet value(Connection connection, String sql) throws SQLException {
        ResultSet row = select(connection, sql);
        assertThat(row.next()).isTrue();
        return row;
    }

    /** Their code throws between two pieces of a COPY, and the connection is closed as it stands. */
    @ParameterizedTest
    @EnumSource(SessionReset.class)
    @Timeout(30)
    void aConnectionInTheMiddleOfACopyIsNotGivenBack(SessionReset reset) throws Exception {
        LeaseRequest request = new LeaseRequest("loader", 20_000_000_000L, reset);
        try (Lease lease = pool.acquire(request)) {
            select(lease.connection(), "SELECT 1");
            try (Statement statement = lease.connection().createStatement()) {
                statement.execute("CREATE TABLE IF NOT EXISTS half_copied (i int)");
            }
            CopyIn copy =
                    lease.connection().unwrap(PGConnection.class).getCopyAPI().copyIn("COPY half_copied FROM STDIN");
            copy.writeToCopy(new byte[] {'1', '\n'}, 0, 2);
        }
        assertThat(gate.inUse()).isZero();
        try (Connection next = source.getConnection()) {
            assertThat(value(next, "SELECT count(*) FROM half_copied").getInt(1))
                    .isZero();
        }
    }

    @Test
    void aResultSetKnowsTheStatementItIsOf() throws Exception {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT 1");
                ResultSet rows = statement.executeQuery()) {
            assertThat(rows.getStatement()).isSameAs(statement);
            assertThat(statement.getResultSet().getStatement()).isSameAs(statement);
        }
    }

    @Test
    void theNextOneToLeaseTheConnectionFindsNoWarning() throws Exception {
        try (Connection connection = source.getConnection()) {
            connection.unwrap(PgConnection.class).addWarning(new SQLWarning("of the driver"));
            assertThat((Throwable) connection.getWarnings()).isNotNull();
        }
        try (Connection connection = source.getConnection()) {
            assertThat((Throwable) connection.getWarnings()).isNull();
        }
    }

    @Test
    void aConnectionEqualsItselfAlone() throws Exception {
        Connection first = source.getConnection();
        assertThat(first.equals(first)).isTrue();
        assertThat(first.hashCode()).isEqualTo(first.hashCode());
        Set<Connection> set = new HashSet<>(Set.of(first));
        assertThat(set).contains(first);
        first.close();
        assertThat(set).contains(first);
        try (Connection second = source.getConnection()) {
            assertThat(first.equals(second)).isFalse();
            assertThat(second.toString()).contains("MeteredConnection");
        }
    }

    @Test
    void valuesComeThrough() throws Exception {
        try (Connection connection = source.getConnection()) {
            try (PreparedStatement statement = connection.prepareStatement("SELECT ?::int[], ?::text[]")) {
                Array numbers = connection.createArrayOf("int4", new Object[] {1, 2, 3});
                statement.setArray(1, numbers);
                statement.setObject(2, connection.createArrayOf("text", new Object[] {"a", "b"}));
                ResultSet row = statement.executeQuery();
                row.next();
                assertThat((Object[]) row.getArray(1).getArray()).containsExactly(1, 2, 3);
                assertThat((Object[]) ((Array) row.getObject(2)).getArray()).containsExactly("a", "b");
            }
            try (CallableStatement call = connection.prepareCall("{ ? = call upper(?) }")) {
                call.registerOutParameter(1, java.sql.Types.VARCHAR);
                call.setString(2, "gate");
                call.execute();
                assertThat(call.getString(1)).isEqualTo("GATE");
            }
            assertThat(connection.unwrap(PGConnection.class).getBackendPID()).isPositive();
            assertThat(connection.isWrapperFor(PGConnection.class)).isTrue();
            assertThatThrownBy(() -> select(connection, "SELECT no_such_column"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42703"));
        }
    }

    @Test
    void useAfterCloseFailsAndReachesNobodyElsesConnection() throws Exception {
        Connection former = source.getConnection();
        Statement statement = former.createStatement();
        ResultSet rows = statement.executeQuery("SELECT 1");
        DatabaseMetaData metaData = former.getMetaData();
        Array array = value(former, "SELECT ARRAY[1, 2]").getArray(1);
        ResultSetMetaData columns = rows.getMetaData();
        ParameterMetaData parameters = former.prepareStatement("SELECT ?::int").getParameterMetaData();
        former.setAutoCommit(false);
        Blob blob = value(former, "SELECT lo_from_bytea(0, 'abc')").getBlob(1);
        InputStream bytes = blob.getBinaryStream();
        assertThat(bytes.read()).isEqualTo('a');
        former.close();
        former.close();
        assertThatThrownBy(bytes::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the connection is closed");
        blob.free();
        statement.close();
        rows.close();
        try (Connection present = source.getConnection()) {
            assertThat(former.isClosed()).isTrue();
            assertThat(former.isValid(1)).isFalse();
            assertThat(statement.isClosed()).isTrue();
            assertThat(statement.getConnection()).isSameAs(former);
            Map<String, Use> uses = new LinkedHashMap<>();
            uses.put("createStatement", former::createStatement);
            uses.put("unwrap", () -> former.unwrap(PGConnection.class));
            uses.put("setAutoCommit", () -> former.setAutoCommit(false));
            uses.put("execute", () -> statement.execute("SELECT 1"));
            uses.put("cancel", statement::cancel);
            uses.put("next", rows::next);
            uses.put("getSchemas", metaData::getSchemas);
            uses.put("getURL", metaData::getURL);
            uses.put("getArray", array::getArray);
            uses.put("getBaseTypeName", array::getBaseTypeName);
            uses.put("isNullable", () -> columns.isNullable(1));
            uses.put("getParameterType", () -> parameters.getParameterType(1));
            uses.put("length", blob::length);
            uses.forEach((name, use) -> assertThat(sqlState(use)).as(name).isEqualTo("08003"));
            assertThatThrownBy(() -> former.setClientInfo("ApplicationName", "x"))
                    .isInstanceOf(SQLClientInfoException.class);
            former.abort(Runnable::run);
            former.close();
            assertThat(gate.inUse()).isEqualTo(1);
            assertThat(present.isValid(1)).isTrue();
        }
        assertThat(gate.inUse()).isZero();
    }

    @Test
    void abortEndsTheLeaseAndWhatItsUserWaitsFor() throws Exception {
        Connection stuck = source.getConnection();
        int pid = stuck.unwrap(PGConnection.class).getBackendPID();
        CompletableFuture<SQLException> failed = CompletableFuture.supplyAsync(
                () -> catchThrowableOfType(SQLException.class, () -> select(stuck, "SELECT pg_sleep(30)")));
        Await.until("it is active", Duration.ofSeconds(10), () -> isActive(pid));
        assertThatThrownBy(() -> stuck.abort(null)).isInstanceOf(SQLException.class);
        stuck.abort(Runnable::run);
        assertThat(stuck.isClosed()).isTrue();
        assertThat(gate.inUse()).isZero();
        assertThat(failed.get(10, TimeUnit.SECONDS).getMessage()).isNotEmpty();
        stuck.close();
        assertThat(gate.inUse()).isZero();
        try (Connection next = source.getConnection()) {
            assertThat(next.unwrap(PGConnection.class).getBackendPID()).isNotEqualTo(pid);
        }
    }

    @Test
    void anotherThreadMayClose() throws Exception {
        Connection connection = source.getConnection();
        Thread other = Thread.ofVirtual().start(() -> {
            try {
                connection.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        other.join();
        connection.close();
        assertThat(connection.isClosed()).isTrue();
        assertThat(gate.inUse()).isZero();
        source.getConnection().close();
    }

    @Test
    void theLoginTimeoutBoundsTheWait() throws Exception {
        assertThat(source.getLoginTimeout()).isZero();
        source.setLoginTimeout(1);
        assertThat(source.getLoginTimeout()).isEqualTo(1);
        assertThatThrownBy(() -> source.setLoginTimeout(-1)).isInstanceOf(SQLException.class);
        try (Connection only = source.getConnection()) {
            long began = System.nanoTime();
            LeaseException refused = catchThrowableOfType(LeaseException.class, source::getConnection);
            assertThat(refused.why()).isEqualTo(LeaseException.Cause.TIMED_OUT);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isBetween(Duration.ofMillis(990), Duration.ofSeconds(5));
            assertThat(only.isValid(1)).isTrue();
        }
    }

    @Test
    void theSourceUnwrapsToItselfAndToItsPool() throws Exception {
        assertThat(source.isWrapperFor(DataSource.class)).isTrue();
        assertThat(source.unwrap(DataSource.class)).isSameAs(source);
        assertThat(source.isWrapperFor(Pool.class)).isTrue();
        assertThat(source.unwrap(Pool.class)).isSameAs(pool);
        assertThat(source.isWrapperFor(String.class)).isFalse();
        assertThatThrownBy(() -> source.unwrap(String.class)).isInstanceOf(SQLException.class);
    }

    private static String sqlState(Use use) {
        return catchThrowableOfType(SQLException.class, use::run).getSQLState();
    }

    private static ResultSet select(Connection connection, String sql) throws SQLException {
        return connection.createStatement().executeQuery(sql);
    }

    private static boolean isActive(int pid) throws SQLException {
        try (Connection beside = server.beside();
                ResultSet row = select(
                        beside,
                        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(30)%' AND pid = "
                                + pid)) {
            row.next();
            return row.getInt(1) == 1;
        }
    }
}
