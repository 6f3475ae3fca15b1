package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.wire.auth.ScramVerifier;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.postgresql.largeobject.LargeObject;
import org.postgresql.largeobject.LargeObjectManager;

/** pgjdbc through the port, before a real PostgreSQL. */
@Timeout(60)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2, 4})
class WirePortTest {

    private static Port port;

    @Parameter
    private int loops;

    @BeforeParameterizedClassInvocation
    static void open(int loops) throws IOException {
        port = new Port(2, settings -> settings, loops);
    }

    @AfterParameterizedClassInvocation
    static void close() throws IOException {
        port.close();
    }

    @Test
    void relaysQueriesWithParametersOfManyTypesAndNulls() throws SQLException {
        try (Connection client = port.connect("bank", "prepareThreshold", "1");
                PreparedStatement statement = client.prepareStatement(
                        "select ?::int8, ?::text, ?::bytea, ?::numeric, ?::timestamptz, ?::int4[], ?::jsonb, ?::text")) {
            for (int round = 0; round < 3; round++) {
                statement.setLong(1, Long.MAX_VALUE);
                statement.setString(2, "grüß " + round);
                statement.setBytes(3, new byte[] {0, 1, -1});
                statement.setBigDecimal(4, new java.math.BigDecimal("1.50"));
                statement.setString(5, "2026-11-21 12:00:00+00");
                statement.setArray(6, client.createArrayOf("int4", new Integer[] {1, null, 3}));
                statement.setString(7, "{\"a\": 1}");
                statement.setString(8, null);
                try (ResultSet row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getLong(1)).isEqualTo(Long.MAX_VALUE);
                    assertThat(row.getString(2)).isEqualTo("grüß " + round);
                    assertThat(row.getBytes(3)).containsExactly(0, 1, -1);
                    assertThat(row.getBigDecimal(4)).isEqualByComparingTo("1.5");
                    assertThat(row.getObject(5, OffsetDateTime.class)).isEqualTo("2026-11-21T12:00:00Z");
                    assertThat((Object[]) row.getArray(6).getArray()).containsExactly(1, null, 3);
                    assertThat(row.getString(7)).contains("\"a\": 1");
                    assertThat(row.getString(8)).isNull();
                }
            }
        }
    }

    @Test
    void holdsAConnectionForATransactionAndNoLonger() throws SQLException {
        try (Connection client = port.connect("bank", "ApplicationName", "teller")) {
            client.setAutoCommit(false);
            long backend = number(client, "select pg_backend_pid()");
            assertThat(number(client, "select pg_backend_pid()")).isEqualTo(backend);
            assertThat(port.pool("bank").status().inUse()).isEqualTo(1);
            assertThat(port.pool("bank").connections())
                    .anySatisfy(each -> assertThat(each.lease())
                            .hasValueSatisfying(
                                    lease -> assertThat(lease.holder()).startsWith("teller 127.0.0.1:")));
            assertThat(text(client, "select application_name from pg_stat_activity where pid = pg_backend_pid()"))
                    .isEqualTo("teller");
            client.commit();
            await().until(() -> port.pool("bank").status().inUse() == 0);
            assertThat(port.wire.clients())
                    .anySatisfy(each -> assertThat(each.application()).isEqualTo("teller"));
        }
    }

    @Test
    void keepsPreparedStatementsAcrossConnections() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int n = 0; n < 6; n++) {
                int mine = n;
                clients.add(threads.submit(() -> {
                    try (Connection client = port.connect("bank", "prepareThreshold", "1");
                            PreparedStatement one = client.prepareStatement("select ?::int + " + mine % 3);
                            PreparedStatement two = client.prepareStatement("select ?::int * 2, pg_sleep(0.001)")) {
                        for (int i = 0; i < 50; i++) {
                            one.setInt(1, i);
                            try (ResultSet row = one.executeQuery()) {
                                row.next();
                                assertThat(row.getInt(1)).isEqualTo(i + mine % 3);
                            }
                            two.setInt(1, i);
                            try (ResultSet row = two.executeQuery()) {
                                row.next();
                                assertThat(row.getInt(1)).isEqualTo(2 * i);
                            }
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> client : clients) {
                client.get(30, TimeUnit.SECONDS);
            }
        }
        assertThat(port.pool("bank").status().size()).isLessThanOrEqualTo(2);
    }

    @Test
    void anErrorEndsAStatementAndNothingElse() throws SQLException {
        try (Connection client = port.connect("bank", "prepareThreshold", "1")) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> text(client, "select 1/0"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("22012"));
                assertThatThrownBy(() -> text(client, "select nothing from nowhere"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("42P01"));
                assertThat(number(client, "select 7")).isEqualTo(7);
            }
            client.setAutoCommit(false);
            assertThatThrownBy(() -> text(client, "select 1/0")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> text(client, "select 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25P02"));
            client.rollback();
            assertThat(number(client, "select 8")).isEqualTo(8);
        }
    }

    @Test
    void carriesSettingsFromConnectionToConnectionAndLeavesNoneBehind() throws SQLException {
        try (Connection one = port.connect("bank", "options", "-c statement_timeout=12345");
                Connection two = port.connect("bank")) {
            run(one, "SET search_path TO pg_catalog, public");
            run(one, "SET TIME ZONE 'Asia/Tokyo'");
            run(one, "set work_mem = '7MB'");
            two.setAutoCommit(false);
            for (int i = 0; i < 4; i++) {
                // two takes the connection that one had
                assertThat(text(two, "show search_path")).isEqualTo("\"$user\", public");
                assertThat(text(two, "show timezone")).isNotEqualTo("Asia/Tokyo");
                assertThat(text(two, "show work_mem")).isEqualTo("4MB");
                assertThat(text(two, "show statement_timeout")).isEqualTo("0");
                assertThat(text(one, "show search_path")).isEqualTo("pg_catalog, public");
                assertThat(text(one, "show timezone")).isEqualTo("Asia/Tokyo");
                assertThat(text(one, "show work_mem")).isEqualTo("7MB");
                assertThat(text(one, "show statement_timeout")).isEqualTo("12345ms");
                two.commit();
            }
            one.setAutoCommit(false);
            run(one, "SET work_mem = '9MB'");
            one.rollback();
            assertThat(text(one, "show work_mem")).isEqualTo("7MB");
            one.commit();
            run(one, "RESET work_mem");
            one.commit();
            assertThat(text(one, "show work_mem")).isEqualTo("4MB");
            one.commit();
        }
        try (Lease lease = port.pool("bank").acquire(LeaseRequest.by("jdbc"));
                Statement statement = lease.connection().createStatement();
                ResultSet row = statement.executeQuery("show search_path")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("\"$user\", public");
        }
    }

    @Test
    void resetsToWhatTheStartupMessageSaid() throws SQLException {
        for (String reset : new String[] {"RESET ALL", "DISCARD ALL", "RESET work_mem", "SET work_mem TO DEFAULT"}) {
            for (String domain : new String[] {"bank", "session"}) {
                try (Connection client = port.connect(domain, "options", "-c work_mem=5MB")) {
                    run(client, "/* why */ SET work_mem = '6MB'");
                    assertThat(text(client, "show work_mem")).isEqualTo("6MB");
                    run(client, reset);
                    assertThat(text(client, "show work_mem"))
                            .as("%s in %s", reset, domain)
                            .isEqualTo("5MB");
                }
                try (Connection stranger = port.connect(domain)) {
                    assertThat(text(stranger, "show work_mem")).as(reset).isEqualTo("4MB");
                }
            }
        }
    }

    @Test
    void aSetThatOutlivesASavepointIsKeptAndOneThatDoesNotIsForgotten() throws SQLException {
        try (Connection client = port.connect("bank");
                Connection stranger = port.connect("bank")) {
            client.setAutoCommit(false);
            run(client, "SET work_mem = '6MB'");
            run(client, "SAVEPOINT s");
            run(client, "SET statement_timeout = '7s'");
            run(client, "SET work_mem = '7MB'");
            run(client, "ROLLBACK TO s");
            client.commit();
            assertThat(text(stranger, "show work_mem")).isEqualTo("4MB");
            assertThat(text(client, "show work_mem")).isEqualTo("6MB");
            assertThat(text(client, "show statement_timeout")).isEqualTo("0");
            client.commit();
            assertThat(text(stranger, "show work_mem")).isEqualTo("4MB");
        }
    }

    /** It ends with its transaction, so nothing belongs to the connection. */
    @Test
    void aTemporaryTableOfOneTransactionPinsNobody() throws SQLException {
        try (Connection client = port.connect("bank")) {
            client.setAutoCommit(false);
            run(client, "CREATE TEMP TABLE upsert (id int) ON COMMIT DROP");
            run(client, "INSERT INTO upsert VALUES (1)");
            assertThat(number(client, "SELECT count(*) FROM upsert")).isEqualTo(1);
            client.commit();
            assertThat(port.wire.clients())
                    .isNotEmpty()
                    .allSatisfy(each -> assertThat(each.pinnedBy()).isEmpty());
            run(client, "CREATE TEMP TABLE upsert (id int) ON COMMIT DROP");
            client.commit();
        }
    }

    @Test
    void deallocatesOneStatementAndLeavesTheOthers() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('P', "kept\0select 1\0\0\0")
                    .send('P', "dropped\0select 2\0\0\0")
                    .send('S');
            assertThat(client.untilReady()).isEqualTo("11ZI");
            client.send('Q', "DEALLOCATE dropped\0");
            assertThat(client.read().text()).isEqualTo("DEALLOCATE\0");
            assertThat(client.untilReady()).isEqualTo("ZI");
            client.send('B', "\0kept\0\0\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("2ZI");
            client.send('B', "\0dropped\0\0\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("EZI");
        }
    }

    @Test
    void deallocatesAmongOtherStatementsAndExecutesThem() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank");
                RawClient other = new RawClient(port.wire.port()).login("bank")) {
            for (RawClient each : List.of(client, other)) {
                each.send('P', "kept\0select 41\0\0\0").send('S');
                assertThat(each.untilReady()).isEqualTo("1ZI");
            }
            client.send('Q', "select ';'; deallocate all; select 2\0");
            assertThat(client.untilReady()).isEqualTo("TDCCTDCZI");
            client.send('B', "\0kept\0\0\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("EZI");
            other.send('B', "\0kept\0\0\0\0\0\0\0").send('S');
            assertThat(other.untilReady()).isEqualTo("2ZI");
        }
    }

    @Test
    void deallocatingAllClosesOnTheServerWhatNoOtherClientHas() throws IOException {
        port.open("leaving", PoolMode.TRANSACTION, 1);
        String others = loops == 1
                ? "select 41"
                : ""; // the two take turns on the loops, and a loop knows its own clients alone
        String left =
                "select string_agg(statement, ' ' order by statement) from pg_prepared_statements where not from_sql";
        try (RawClient client = new RawClient(port.wire.port()).login("leaving");
                RawClient other = new RawClient(port.wire.port()).login("leaving")) {
            for (RawClient each : List.of(client, other)) {
                each.send('P', "both\0select 41\0\0\0").send('S');
                assertThat(each.untilReady()).isEqualTo("1ZI");
            }
            client.send('P', "alone\0select 42\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("1ZI");
            assertThat(value(other, left)).isEqualTo("select 41 select 42");
            client.send('Q', "deallocate all\0");
            assertThat(client.untilReady()).isEqualTo("CZI");
            assertThat(value(other, left)).isEqualTo(others);
            client.send('P', "alone\0select 42\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("1ZI");
            client.send('P', "\0deallocate all\0\0\0")
                    .send('B', "\0\0\0\0\0\0\0\0")
                    .send('E', "\0\0\0\0\0")
                    .send('S');
            assertThat(client.untilReady()).isEqualTo("12CZI");
            assertThat(value(other, left)).isEqualTo(others);
            other.send('B', "\0both\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
            assertThat(other.untilReady()).isEqualTo("2DCZI");
        }
    }

    /** The server skips, with all that follows an error, the Close that was to make room. */
    @Test
    void whatAnErrorKeptFromBeingClosedIsClosedLater() throws IOException {
        port.open("erring", PoolMode.TRANSACTION, 1);
        try (RawClient client = new RawClient(port.wire.port()).login("erring")) {
            for (int i = 0; i < 300; i++) {
                client.send('P', "kept" + i + "\0select " + i + "\0\0\0").send('S');
                assertThat(client.untilReady()).isEqualTo("1ZI");
                // in one segment: the server's error comes after the second Parse is sent
                client.write('P', "wrong" + i + "\0select wrong" + i + "\0\0\0")
                        .write('P', "skipped" + i + "\0select 'skipped', " + i + "\0\0\0")
                        .send('S');
                assertThat(client.untilReady()).isEqualTo("EZI");
            }
            assertThat(value(client, "select count(*) <= 250 from pg_prepared_statements where not from_sql"))
                    .isEqualTo("t");
        }
    }

    /** The one value of a query. */
    private static String value(RawClient client, String sql) throws IOException {
        client.send('Q', sql + "\0");
        assertThat(client.read().type()).isEqualTo('T');
        String row = client.read().text();
        client.untilReady();
        return row.substring(6);
    }

    @Test
    void theNamesThatStatementsHaveOnTheServerAreNobodys() throws IOException {
        try (RawClient owner = new RawClient(port.wire.port()).login("bank");
                RawClient stranger = new RawClient(port.wire.port()).login("bank")) {
            owner.send('P', "mine\0select 42\0\0\0").send('S');
            assertThat(owner.untilReady()).isEqualTo("1ZI");
            for (int i = 1; i < 20; i++) {
                stranger.send('B', "\0headgate_" + i + "\0\0\0\0\0\0\0").send('S');
                assertThat(stranger.untilReady()).isEqualTo("EZI");
                stranger.send('D', "Sheadgate_" + i + "\0").send('S');
                assertThat(stranger.untilReady()).isEqualTo("EZI");
                stranger.send('C', "Sheadgate_" + i + "\0").send('S');
                assertThat(stranger.untilReady()).isEqualTo("3ZI");
                stranger.send('Q', "deallocate headgate_" + i + "\0");
                assertThat(stranger.untilReady()).isEqualTo("EZI");
            }
            owner.send('B', "\0mine\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
            assertThat(owner.untilReady()).isEqualTo("2DCZI");
        }
    }

    @Test
    void aStatementThatIsGoneIsPreparedAgain() throws IOException {
        port.open("single", PoolMode.TRANSACTION, 1);
        try (RawClient client = new RawClient(port.wire.port()).login("single")) {
            client.send('P', "gone\0select 43\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("1ZI");
            client.send('Q', "do $$begin execute 'deallocate ' || 'all'; end$$\0");
            assertThat(client.untilReady()).isEqualTo("CZI");
            client.send('B', "\0gone\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("2DCZI");
        }
    }

    @Test
    void aStatementOfATableThatChangedIsPreparedAnew() throws SQLException {
        try (Connection one = port.connect("bank", "prepareThreshold", "1");
                Connection direct = port.direct()) {
            run(direct, "create table if not exists changing (id int)");
            String query = "select * from changing where ?::int is null";
            try (PreparedStatement before = one.prepareStatement(query)) {
                before.setInt(1, 1);
                before.executeQuery().close();
                run(direct, "alter table changing add column name text");
                before.executeQuery().close(); // fails at the server; the driver prepares it once more
            } finally {
                run(direct, "drop table changing");
            }
        }
    }

    @Test
    void copiesInAndOut() throws Exception {
        try (Connection client = port.connect("bank")) {
            run(client, "create table if not exists copied (id int, filler text)");
            run(client, "truncate copied");
            CopyManager copy = client.unwrap(PGConnection.class).getCopyAPI();
            StringBuilder rows = new StringBuilder();
            for (int i = 0; i < 50_000; i++) {
                rows.append(i).append("\trow number ").append(i).append('\n');
            }
            byte[] bytes = rows.toString().getBytes(StandardCharsets.UTF_8);
            assertThat(copy.copyIn("copy copied from stdin", new ByteArrayInputStream(bytes)))
                    .isEqualTo(50_000);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            assertThat(copy.copyOut("copy (select * from copied order by id) to stdout", out))
                    .isEqualTo(50_000);
            assertThat(out.toByteArray()).isEqualTo(bytes);

            InputStream broken =
                    new ByteArrayInputStream("not a number\n".repeat(20_000).getBytes(StandardCharsets.UTF_8));
            assertThatThrownBy(() -> copy.copyIn("copy copied from stdin", broken))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22P02"));
            assertThat(number(client, "select count(*) from copied")).isEqualTo(50_000);
        }
    }

    /** The driver calls their functions by number. */
    @Test
    void writesAndReadsLargeObjects() throws Exception {
        byte[] piece = new byte[1 << 20];
        new SplittableRandom(5).nextBytes(piece);
        try (Connection client = port.connect("bank")) {
            client.setAutoCommit(false);
            LargeObjectManager objects = client.unwrap(PGConnection.class).getLargeObjectAPI();
            long id = objects.createLO();
            try (LargeObject object = objects.open(id)) {
                for (int i = 0; i < 8; i++) {
                    object.write(piece);
                }
            }
            client.commit();
            try (LargeObject object = objects.open(id)) {
                assertThat(object.size64()).isEqualTo(8L << 20);
                object.seek(3 << 20);
                assertThat(object.read(1 << 20)).isEqualTo(piece);
            }
            objects.delete(id);
            client.commit();
        }
    }

    @Test
    void cancelsTheRequestUnderWayAndNoOther() throws Exception {
        try (Connection client = port.connect("bank");
                Statement statement = client.createStatement();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> sleeping = threads.submit(() -> statement.execute("select pg_sleep(30)"));
            await().until(() -> port.pool("bank").status().inUse() == 1);
            statement.cancel();
            assertThatThrownBy(() -> sleeping.get(10, TimeUnit.SECONDS))
                    .hasRootCauseMessage("ERROR: canceling statement due to user request");
            assertThat(number(client, "select 3")).isEqualTo(3);
        }
    }

    @Test
    void longBatchesAreAnsweredWhileTheyAreSent() throws SQLException {
        try (Connection client = port.connect("bank", "prepareThreshold", "1")) {
            run(client, "create table if not exists batched (id int, filler text)");
            run(client, "truncate batched");
            client.setAutoCommit(false);
            try (PreparedStatement insert = client.prepareStatement("insert into batched values (?, ?)")) {
                for (int i = 0; i < 20_000; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "x".repeat(100));
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(20_000);
            }
            client.commit();
            assertThat(number(client, "select count(*) from batched")).isEqualTo(20_000);
        }
    }

    @Test
    void pinsWhatCannotBeCarriedAndCleansUpAfterIt() throws SQLException {
        long pinned;
        try (Connection client = port.connect("bank")) {
            run(client, "create temp table mine (id int)");
            run(client, "select pg_advisory_lock(4711)");
            run(client, "listen news");
            pinned = number(client, "select pg_backend_pid()");
            assertThat(port.pool("bank").status().inUse()).isEqualTo(1);
            assertThat(number(client, "select count(*) from mine")).isZero();
        }
        await().until(() -> port.pool("bank").status().inUse() == 0);
        try (Connection direct = port.direct()) {
            assertThat(number(direct, "select count(*) from pg_locks where locktype = 'advisory'"))
                    .isZero();
            assertThat(number(direct, "select count(*) from pg_class where relname = 'mine'"))
                    .isZero();
            assertThat(number(direct, "select count(*) from pg_stat_activity where pid = " + pinned))
                    .isEqualTo(1);
        }
    }

    /** RESET ALL leaves the role as it is. */
    @Test
    void aRoleIsNobodyElses() throws SQLException {
        Pool pool = port.open("roles", PoolMode.TRANSACTION, 1);
        try (Connection direct = port.direct()) {
            run(direct, "create role reader");
        }
        String user = "select current_user";
        try (Connection one = port.connect("roles", "preferQueryMode", "simple");
                Connection other = port.connect("roles")) {
            String owner = text(other, user);
            run(one, "set role reader; reset all");
            assertThat(text(one, user)).isEqualTo("reader");
            assertThat(text(other, user)).isEqualTo(owner);
            run(one, "begin");
            run(one, "set role reader");
            run(one, "reset all");
            run(one, "commit");
            assertThat(text(other, user)).isEqualTo(owner);
            run(one, "reset all");
            assertThat(text(one, user)).isEqualTo("reader");
            try (Lease lease = pool.acquire(LeaseRequest.by("jdbc"))) {
                assertThat(text(lease.connection(), user)).isEqualTo(owner);
            }
            assertThat(text(other, user)).isEqualTo(owner);
            run(one, "discard all");
            assertThat(text(one, user)).isEqualTo(owner);
        } finally {
            try (Connection direct = port.direct()) {
                run(direct, "drop role reader");
            }
        }
    }

    @Test
    void discardAllEndsWhatPinned() throws SQLException {
        try (Connection client = port.connect("bank", "preferQueryMode", "simple");
                Connection direct = port.direct()) {
            run(client, "select pg_advisory_lock(4712)");
            run(client, "prepare mine as select 1");
            run(client, "deallocate all");
            run(client, "prepare mine as select 2");
            assertThat(port.pool("bank").status().inUse()).isEqualTo(1);
            run(client, "discard all");
            await().until(() -> port.pool("bank").status().inUse() == 0);
            assertThat(number(direct, "select count(*) from pg_locks where locktype = 'advisory'"))
                    .isZero();
            assertThatThrownBy(() -> run(client, "begin; discard all")).hasMessageContaining("DISCARD ALL");
            run(client, "rollback");
            run(client, "begin");
            assertThatThrownBy(() -> run(client, "discard all")).hasMessageContaining("DISCARD ALL");
            run(client, "rollback");
        }
    }

    @Test
    void aSettingWithAValueThatIsNoTextStaysWithItsConnection() throws SQLException {
        try (Connection one = port.connect("bank", "binaryTransferEnable", "int4,uuid", "prepareThreshold", "-1");
                Connection two = port.connect("bank")) {
            try (PreparedStatement set = one.prepareStatement("select set_config('app.tenant', ?::text, false)")) {
                set.setInt(1, 42);
                set.execute();
            }
            two.setAutoCommit(false);
            number(two, "select 1");
            assertThat(text(one, "select current_setting('app.tenant')")).isEqualTo("42");
            two.rollback();
        }
        await().until(() -> port.pool("bank").status().inUse() == 0);
    }

    @Test
    void refusesWhatBelongsToAConnectionWhereTheDomainSaysSo() throws SQLException {
        Pool pool = port.open("strict", PoolMode.TRANSACTION, 2);
        port.domains.put(
                "strict",
                new Directory.Domain(
                        pool, PoolMode.TRANSACTION, Port.MOST_CLIENTS, SessionState.REFUSE, UnnamedStatements.AUTO));
        for (String protocol : new String[] {"simple", "extended"}) {
            try (Connection client = port.connect("strict", "preferQueryMode", protocol)) {
                assertThatThrownBy(() -> run(client, "listen news")).isInstanceOfSatisfying(SQLException.class, e -> {
                    assertThat(e.getSQLState()).isEqualTo("0A000");
                    assertThat(e.getMessage()).contains("LISTEN is refused", "session mode");
                });
                await().until(() -> pool.status().inUse() == 0);
                client.setAutoCommit(false);
                assertThat(number(client, "select 1")).isEqualTo(1);
                assertThatThrownBy(() -> run(client, "create temp table mine (id int)"))
                        .hasMessageContaining("a temporary table is refused");
                assertThatThrownBy(() -> number(client, "select 1")).hasMessageContaining("aborted");
                client.rollback();
                assertThat(number(client, "select count(*) from pg_class where relname = 'mine'"))
                        .isZero();
                client.commit();
            }
        }
        try (Connection client = port.connect("strict");
                PreparedStatement set = client.prepareStatement("select set_config('app.tenant', ?::text, false)")) {
            for (boolean whole : new boolean[] {true, false}) {
                if (whole) {
                    set.setInt(1, 42); // which is sent as a number: it is not known on another connection
                } else {
                    set.setString(1, "x".repeat(1_000_000));
                }
                assertThatThrownBy(set::execute).isInstanceOfSatisfying(SQLException.class, e -> {
                    assertThat(e.getSQLState()).isEqualTo("0A000");
                    assertThat(e.getMessage()).contains("set_config with", "is refused");
                });
                assertThat(text(client, "select current_setting('app.tenant', true)"))
                        .isNullOrEmpty();
            }
            set.setString(1, "42");
            set.execute();
            assertThat(text(client, "select current_setting('app.tenant')")).isEqualTo("42");
        }
        await().until(() -> pool.status().inUse() == 0);
    }

    @Test
    void whoeverTakesAnotherNameIsLetInThoughAllConnectionsAreHeld() throws SQLException {
        port.open("named", PoolMode.TRANSACTION, 1);
        String[] named = {"assumeMinServerVersion", "14", "ApplicationName", ""};
        port.connect("named", named).close();
        try (Connection holder = port.connect("named", named)) {
            holder.setAutoCommit(false);
            run(holder, "select 1");
            named[3] = "another's";
            try (Connection other = port.connect("named", named)) {
                assertThat(other.unwrap(PGConnection.class).getParameterStatus("application_name"))
                        .isEqualTo("another's");
                holder.commit();
                assertThat(text(other, "show application_name")).isEqualTo("another's");
            }
        }
    }

    /** For as long as the service ran, a login told what had been so before. */
    @Test
    void reportsWhatTheServerReportsSinceItHasChanged() throws Exception {
        try (Connection direct = port.direct();
                Statement alter = direct.createStatement()) {
            assertThat(intervalStyle()).isEqualTo("postgres");
            alter.execute("alter database postgres set intervalstyle = 'iso_8601'");
            port.pool("bank").flush().toCompletableFuture().join();
            try (Connection first = port.connect("bank")) {
                assertThat(number(first, "select 1")).isEqualTo(1);
            }
            assertThat(intervalStyle()).isEqualTo("iso_8601");
        } finally {
            try (Connection direct = port.direct();
                    Statement alter = direct.createStatement()) {
                alter.execute("alter database postgres reset intervalstyle");
            }
            port.pool("bank").flush().toCompletableFuture().join();
        }
    }

    private static String intervalStyle() throws SQLException {
        try (Connection client = port.connect("bank")) {
            return client.unwrap(PGConnection.class).getParameterStatus("IntervalStyle");
        }
    }

    @Test
    void refusesWithTheStateAndTheReasonBeforeAnyWork() throws SQLException {
        port.open("tiny", PoolMode.TRANSACTION, 1, new WhenExhausted(WhenExhausted.Mode.REJECT, 1_000_000_000L, 100));
        try (Connection holder = port.connect("tiny")) {
            holder.setAutoCommit(false);
            assertThat(number(holder, "select 1")).isEqualTo(1);
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThatThrownBy(
                                    () -> port.connect("tiny").close())
                            .isInstanceOfSatisfying(SQLException.class, e -> {
                                assertThat(e.getSQLState()).isEqualTo("53300");
                                assertThat(e.getMessage()).contains("tiny", "fixed for the test");
                            }));
        }
    }

    @Test
    void refusesWhoIsNotKnown() {
        assertThatThrownBy(() -> port.connect("bank", "password", "wrong").close())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
        assertThatThrownBy(() -> port.connect("bank", "user", "nobody").close())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
        assertThatThrownBy(() -> port.connect("nowhere").close())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("3D000"));
        assertThatThrownBy(() ->
                        port.connect("bank", "options", "-c work_mem=much").close())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22023"));
    }

    /** Idle, within a transaction, busy and waiting: all of them, and nobody else. */
    @Test
    void endsWhoIsKnownNoLonger() throws Exception {
        Function<String, Optional<ScramVerifier>> known = port.clients;
        port.clients = user -> known.apply(Port.USER);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                Connection stays = port.connect("bank");
                Connection within = port.connect("bank", "user", "leaver");
                Connection busy = port.connect("bank", "user", "leaver");
                Connection waits = port.connect("bank", "user", "leaver")) {
            run(stays, "create table ended (id int)");
            List<Connection> idle = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                idle.add(port.connect("bank", "user", "leaver"));
                assertThat(number(idle.get(i), "select 1")).isEqualTo(1);
            }
            within.setAutoCommit(false);
            run(within, "insert into ended values (1)");
            Future<?> sleeping = threads.submit(() -> text(busy, "select pg_sleep(600)"));
            await().until(() -> port.pool("bank").status().inUse() == 2);
            Future<?> waiting = threads.submit(() -> {
                run(waits, "insert into ended values (2)");
                return null;
            });
            await().until(() -> port.pool("bank").status().waiting() == 1);

            port.clients = known;
            port.wire.endUnknown();
            // on several loops one that asks now might still get the connection of another that has ended, and is not
            // told then
            await().until(() ->
                    port.wire.clients().stream().noneMatch(each -> each.user().equals("leaver")));
            assertThat(idle)
                    .allSatisfy(each -> assertThatThrownBy(() -> number(each, "select 1"))
                            .isInstanceOfSatisfying(SQLException.class, e -> {
                                assertThat(e.getSQLState()).isEqualTo("57P01");
                                assertThat(e.getMessage()).contains("this client was deleted");
                            }));
            assertThatThrownBy(within::commit).isInstanceOf(SQLException.class);
            assertThat(sleeping)
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableThat()
                    .withCauseInstanceOf(SQLException.class);
            assertThat(waiting)
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableThat()
                    .withCauseInstanceOf(SQLException.class);
            await().until(() -> port.pool("bank").status().inUse() == 0);
            assertThat(number(stays, "select count(*) from ended")).isZero();
        } finally {
            port.clients = known;
        }
    }

    /** It was told that it had itself been deleted. */
    @Test
    void aClientOfARemovedDomainIsToldSo() throws Exception {
        port.open("removed", PoolMode.TRANSACTION, 1);
        Function<String, Optional<ScramVerifier>> known = port.clients;
        try (Connection idle = port.connect("removed", "user", Port.USER)) {
            assertThat(number(idle, "select 1")).isEqualTo(1);
            port.domains.remove("removed");
            port.clients = user -> Optional.empty();
            port.wire.endUnknown();
            assertThatThrownBy(() -> number(idle, "select 1")).isInstanceOfSatisfying(SQLException.class, e -> {
                assertThat(e.getSQLState()).isEqualTo("57P01");
                assertThat(e.getMessage()).contains("the domain removed was removed");
            });
        } finally {
            port.clients = known;
        }
    }

    @Test
    void whoIsDeletedWhileItLogsInIsNotServed() {
        Function<String, Optional<ScramVerifier>> known = port.clients;
        AtomicLong asked = new AtomicLong();
        port.clients = user -> asked.getAndIncrement() == 0 ? known.apply(Port.USER) : Optional.empty();
        try {
            assertThatThrownBy(() -> {
                        try (Connection client = port.connect("bank", "user", "leaver")) {
                            number(client, "select 1");
                        }
                    })
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P01"));
        } finally {
            port.clients = known;
        }
    }

    @Test
    void sessionModeKeepsAConnectionAndStatementModeRefusesTransactions() throws SQLException {
        try (Connection client = port.connect("session")) {
            long backend = number(client, "select pg_backend_pid()");
            run(client, "create temp table mine (id int)");
            assertThat(number(client, "select count(*) from mine")).isZero();
            assertThat(number(client, "select pg_backend_pid()")).isEqualTo(backend);
        }
        try (Connection client = port.connect("statement")) {
            assertThat(number(client, "select 5")).isEqualTo(5);
            client.setAutoCommit(false);
            assertThatThrownBy(() -> {
                        number(client, "select 6"); // pgjdbc sends BEGIN with it, and has its answer before the refusal
                        number(client, "select 7");
                    })
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25001"));
        }
    }

    @Test
    void aClientThatLeavesInATransactionLeavesNothing() throws Exception {
        Connection client = port.connect("bank");
        client.setAutoCommit(false);
        run(client, "create table if not exists left_behind (id int)");
        client.commit();
        run(client, "lock table left_behind");
        client.unwrap(PGConnection.class);
        client.abort(Runnable::run);
        await().until(() -> port.pool("bank").status().inUse() == 0);
        await().until(() -> {
            try (Connection direct = port.direct()) {
                return number(direct, "select count(*) from pg_locks where mode = 'AccessExclusiveLock'") == 0;
            }
        });
    }

    /** Whoever comes next has a connection without statements, as after PgBouncer, which closes it. */
    @Test
    void aClientThatLeavesInATransactionLeavesNoPreparedStatement() throws IOException {
        port.open("leavers", PoolMode.TRANSACTION, 1);
        for (String begin : List.of("BEGIN\0", "BEGIN; select nothing\0")) {
            try (RawClient client = new RawClient(port.wire.port()).login("leavers")) {
                client.send('P', "mine\0select 1\0\0\0").send('S');
                assertThat(client.untilReady()).isEqualTo("1ZI");
                client.send('Q', begin);
                client.untilReady();
            }
            try (RawClient next = new RawClient(port.wire.port()).login("leavers")) {
                next.send('Q', "select count(*) from pg_prepared_statements\0");
                assertThat(next.read().type()).isEqualTo('T');
                assertThat(next.read().text()).as(begin).endsWith("0");
                assertThat(next.untilReady()).isEqualTo("CZI");
            }
        }
    }

    @Test
    void aKilledBackendIsToldAndTheNextRequestIsServed() throws Exception {
        try (Connection client = port.connect("bank");
                Connection direct = port.direct()) {
            client.setAutoCommit(false);
            long backend = number(client, "select pg_backend_pid()");
            number(direct, "select pg_terminate_backend(" + backend + ")::int");
            assertThatThrownBy(() -> number(client, "select 1")).isInstanceOf(SQLException.class);
        }
        try (Connection client = port.connect("bank")) {
            assertThat(number(client, "select 2")).isEqualTo(2);
        }
        await().until(() -> port.pool("bank").status().inUse() == 0);
    }

    @Test
    void countsItsClientsAndKnowsThoseOfEachDomain() throws Exception {
        try (Port other = new Port(
                        1,
                        settings -> new WireSettings(
                                settings.address(),
                                settings.port(),
                                settings.tls(),
                                settings.loginTimeout(),
                                settings.idleTimeout(),
                                settings.transactionTimeout(),
                                settings.alwaysReset(),
                                settings.showHolder(),
                                1,
                                settings.mostArriving(),
                                settings.connectionsPerAddress(),
                                2,
                                settings.mostStatements()));
                Connection _ = other.connect("bank")) {
            try (Connection _ = other.connect("session")) {
                assertThat(other.wire.clientCount()).isEqualTo(2);
                assertThat(other.wire.usersOf("bank").values()).containsExactly(Port.USER);
                assertThat(other.wire.usersOf("statement")).isEmpty();
                int id = other.wire.usersOf("session").keySet().iterator().next();
                assertThat(other.wire.client(id).orElseThrow().domain()).isEqualTo("session");
                assertThatThrownBy(() -> other.connect("statement"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("53300"))
                        .hasMessageContaining("2 clients already")
                        .hasMessageContaining("headgate.limits.wire-clients");
            }
            await().until(() -> other.wire.clientCount() == 1);
            assertThat(other.wire.usersOf("session")).isEmpty();
            other.connect("statement").close();
        }
    }

    @Test
    void tellsTheServerWhoHoldsAConnectionWhereThatIsWanted() throws Exception {
        try (Port other = new Port(
                        1,
                        settings -> new WireSettings(
                                settings.address(),
                                settings.port(),
                                settings.tls(),
                                settings.loginTimeout(),
                                settings.idleTimeout(),
                                settings.transactionTimeout(),
                                settings.alwaysReset(),
                                true,
                                1,
                                settings.mostArriving(),
                                settings.connectionsPerAddress(),
                                settings.mostClients(),
                                settings.mostStatements()));
                Connection till = other.connect("bank", "ApplicationName", "till");
                Connection desk = other.connect("bank")) {
            String name = "select application_name from pg_stat_activity where pid = pg_backend_pid()";
            assertThat(text(till, name)).matches("till 127\\.0\\.0\\.1:[0-9]+");
            assertThat(text(desk, name)).matches(".* 127\\.0\\.0\\.1:[0-9]+").doesNotStartWith("till");
            run(till, "set application_name = 'other'");
            assertThat(number(desk, "select 1")).isEqualTo(1);
            assertThat(text(till, name)).matches("other 127\\.0\\.0\\.1:[0-9]+");
            run(till, "reset all");
            assertThat(number(desk, "select 1")).isEqualTo(1);
            assertThat(text(till, name)).matches(".* 127\\.0\\.0\\.1:[0-9]+").doesNotStartWith("other");
        }
    }

    /** Requests wait while it is paused, and none is lost. */
    @Test
    void pausesUnderLoad() throws Exception {
        Pool pool = port.open("busy", PoolMode.TRANSACTION, 2);
        AtomicBoolean enough = new AtomicBoolean();
        AtomicLong served = new AtomicLong();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                clients.add(threads.submit(() -> {
                    try (Connection client = port.connect("busy")) {
                        while (!enough.get()) {
                            assertThat(number(client, "select 6 * 7")).isEqualTo(42);
                            served.incrementAndGet();
                        }
                    }
                    return null;
                }));
            }
            for (int round = 0; round < 3; round++) {
                long before = served.get();
                await().until(() -> served.get() > before + 100);
                pool.pause().toCompletableFuture().join();
                await().until(() -> pool.status().inUse() == 0 && pool.status().waiting() == 8);
                pool.resume().toCompletableFuture().join();
            }
            enough.set(true);
            for (Future<?> client : clients) {
                client.get(10, TimeUnit.SECONDS);
            }
        }
        await().until(() -> pool.status().inUse() == 0);
    }

    /** Whoever is within a transaction learns of it; everyone else is served again as soon as the server is. */
    @Test
    void outlivesTheServersRestart() throws Exception {
        try (Port other = new Port(2)) {
            try (Connection idle = other.connect("bank");
                    Connection busy = other.connect("bank")) {
                assertThat(number(idle, "select 1")).isEqualTo(1);
                busy.setAutoCommit(false);
                assertThat(number(busy, "select 2")).isEqualTo(2);
                // a backend that dies so makes the server end all others and recover
                new ProcessBuilder("kill", "-9", text(busy, "select pg_backend_pid()"))
                        .start()
                        .waitFor();
                assertThatThrownBy(() -> number(busy, "select 3")).isInstanceOf(SQLException.class);
                await().atMost(Duration.ofSeconds(30))
                        .ignoreExceptions()
                        .until(() -> number(idle.isValid(5) ? idle : other.connect("bank"), "select 4") == 4);
            }
            await().until(() -> other.pool("bank").status().inUse() == 0);
        }
    }

    static void run(Connection client, String sql) throws SQLException {
        try (Statement statement = client.createStatement()) {
            statement.execute(sql);
        }
    }

    static long number(Connection client, String sql) throws SQLException {
        return Long.parseLong(text(client, sql));
    }

    static String text(Connection client, String sql) throws SQLException {
        try (Statement statement = client.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }
}
