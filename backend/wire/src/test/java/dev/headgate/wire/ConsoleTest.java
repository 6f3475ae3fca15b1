package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.memory.MemoryAccount;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

@Timeout(60)
class ConsoleTest {

    private static Port port;

    @BeforeAll
    static void open() throws IOException {
        port = new Port(2);
    }

    @AfterAll
    static void close() throws IOException {
        port.close();
    }

    @Test
    void showsWhatExportersOfPgBouncerRead() throws SQLException, IOException {
        try (Connection client = port.connect("bank", "ApplicationName", "till");
                Connection console = console()) {
            client.setAutoCommit(false);
            WirePortTest.number(client, "select 1");
            assertThat(named(console, "show pools", "database", "bank"))
                    .containsEntry("cl_active", "1")
                    .containsEntry("sv_active", "1")
                    .containsEntry("pool_mode", "transaction")
                    .containsKeys("user", "cl_waiting", "sv_idle", "maxwait", "maxwait_us", "ceiling");
            assertThat(named(console, "SHOW CLIENTS", "application_name", "till"))
                    .containsEntry("state", "active")
                    .containsEntry("database", "bank")
                    .containsEntry("prepared_statements", "0");
            assertThat(rows(console, "SHOW SERVERS")).isNotEmpty();
            assertThat(named(console, "SHOW STATS;", "database", "bank").get("total_query_count"))
                    .matches("[1-9][0-9]*");
            assertThat(named(console, "SHOW DATABASES", "name", "session")).containsEntry("pool_mode", "session");
            assertThat(named(console, "SHOW LISTS", "list", "databases")).containsEntry("items", "3");
            assertThat(named(console, "SHOW LISTS", "list", "users")).containsEntry("items", "3");
            try (Socket arriving = new Socket("127.0.0.1", port.wire.port())) {
                assertThat(arriving.isConnected()).isTrue();
                await().untilAsserted(() -> assertThat(named(console, "SHOW LISTS", "list", "login_clients"))
                        .containsEntry("items", "1"));
            }
            assertThat(named(console, "SHOW VERSION", "version", "Headgate test"))
                    .isNotEmpty();
            assertThat(rows(console, "SHOW CONFIG"))
                    .extracting(row -> row.get("key"), row -> row.get("value"))
                    .contains(tuple("loops", "1"));
            client.rollback();
        }
    }

    /** What prometheus-community's exporter asks for, and the columns of which it makes metrics and labels: one missing, and it is "down". */
    @Test
    void theExporterOfPrometheusFindsWhatItReads() throws SQLException {
        Map<String, String> asked = Map.of(
                "databases",
                "name host port database force_user pool_size reserve_pool_size pool_mode max_connections current_connections paused disabled",
                "stats_totals",
                "database query_count query_time bytes_received bytes_sent wait_time xact_count xact_time server_assignment_count",
                "pools",
                "database user cl_active cl_active_cancel_req cl_waiting cl_waiting_cancel_req sv_active sv_active_cancel sv_being_canceled sv_idle sv_used sv_tested sv_login maxwait",
                "clients",
                "database user application_name state");
        try (Connection client = port.connect("bank", "ApplicationName", "exported");
                Connection console = console()) {
            WirePortTest.number(client, "select 1");
            for (Map.Entry<String, String> each : asked.entrySet()) {
                assertThat(rows(console, "SHOW " + each.getKey() + ";"))
                        .as(each.getKey())
                        .isNotEmpty()
                        .allSatisfy(row ->
                                assertThat(row).containsKeys(each.getValue().split(" ")));
            }
            assertThat(named(console, "SHOW DATABASES", "name", "bank"))
                    .containsEntry("host", "127.0.0.1")
                    .containsEntry("port", Integer.toString(port.server.getPort()))
                    .containsEntry("database", "postgres")
                    .containsEntry("force_user", "postgres")
                    .containsEntry("max_client_connections", Integer.toString(Port.MOST_CLIENTS))
                    .containsEntry("current_client_connections", "1");
            assertThat(named(console, "SHOW CONFIG", "key", "max_client_conn"))
                    .containsEntry("value", Integer.toString(WireSettings.DEFAULT_CLIENTS));
            assertThat(named(console, "SHOW POOLS", "database", "bank"))
                    .as("an idle client counts as active, as in PgBouncer")
                    .containsEntry("cl_active", "1")
                    .containsEntry("sv_active", "0");
            assertThat(named(console, "SHOW STATS_AVERAGES", "database", "bank"))
                    .containsKeys("xact_count", "bytes_received", "bytes_sent", "wait_time");
            assertThat(named(console, "SHOW STATS_TOTALS", "database", "bank"))
                    .containsEntry(
                            "query_count",
                            named(console, "SHOW STATS", "database", "bank").get("total_query_count"));
        }
    }

    @Test
    void tellsWhoIsConnectedWithWhatAndHowLongItWaits() throws Exception {
        port.open("narrow", PoolMode.TRANSACTION, 1);
        try (Connection holder = port.connect("narrow", "ApplicationName", "holder");
                Connection waiter = port.connect("narrow", "ApplicationName", "waiter");
                Connection console = console()) {
            holder.setAutoCommit(false);
            WirePortTest.number(holder, "select 1");
            Thread waiting = Thread.startVirtualThread(() -> {
                try {
                    WirePortTest.number(waiter, "select 1");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            await().untilAsserted(
                            () -> assertThat(Long.parseLong(named(console, "SHOW CLIENTS", "application_name", "waiter")
                                            .get("wait_us")))
                                    .isPositive());
            await().untilAsserted(() -> assertThat(named(console, "SHOW CLIENTS", "application_name", "waiter"))
                    .containsEntry("state", "waiting")
                    .containsEntry("wait", "1"));
            assertThat(named(console, "SHOW POOLS", "database", "narrow"))
                    .containsEntry("cl_active", "1")
                    .containsEntry("cl_waiting", "1");
            Map<String, String> held = named(console, "SHOW CLIENTS", "application_name", "holder");
            assertThat(held)
                    .containsEntry("wait", "0")
                    .containsEntry("wait_us", "0")
                    .containsEntry("tls", "")
                    .containsEntry("replication", "none")
                    .containsEntry("local_addr", "127.0.0.1")
                    .containsEntry("local_port", Integer.toString(port.wire.port()))
                    .containsEntry("request_time", null)
                    .containsEntry("id", held.get("remote_pid"));
            assertThat(held.get("connect_time")).matches("20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC");
            Map<String, String> server = named(console, "SHOW SERVERS", "id", held.get("link"));
            assertThat(server)
                    .containsEntry("state", "active")
                    .containsEntry("user", "postgres")
                    .containsEntry("addr", "127.0.0.1")
                    .containsEntry("port", Integer.toString(port.server.getPort()))
                    .containsEntry("application_name", "holder")
                    .containsEntry("close_needed", "0");
            assertThat(server.get("connect_time")).matches("20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC");
            holder.rollback();
            assertThat(waiting.join(Duration.ofSeconds(10))).isTrue();
            WirePortTest.run(console, "KILL_CLIENT " + held.get("id"));
            assertThatThrownBy(() -> WirePortTest.number(holder, "select 1")).isInstanceOf(SQLException.class);
        } finally {
            port.domains.remove("narrow");
        }
    }

    /** As PgBouncer's: whoever stops a server after it cuts nothing that was under way. */
    @Test
    void aPauseReturnsWhenNothingIsUnderWay() throws Exception {
        try (Connection client = port.connect("bank");
                Connection console = console()) {
            client.setAutoCommit(false);
            WirePortTest.number(client, "select 1");
            CompletableFuture<Void> pause = paused(console);
            await().until(() -> port.pool("bank").status().state() == PoolStatus.State.PAUSED);
            WirePortTest.number(client, "select 2"); // what has begun goes on
            assertThat(pause).isNotDone();
            client.rollback();
            pause.get(10, TimeUnit.SECONDS);
            assertThat(port.pool("bank").status().inUse()).isZero();
            WirePortTest.run(console, "PAUSE bank");
        } finally {
            port.pool("bank").resume().toCompletableFuture().join();
        }
    }

    @Test
    void aPauseThatIsTakenBackByAnotherSaysSo() throws Exception {
        try (Connection client = port.connect("bank");
                Connection console = console();
                Connection other = console()) {
            client.setAutoCommit(false);
            WirePortTest.number(client, "select 1");
            CompletableFuture<Void> pause = paused(console);
            await().until(() -> port.pool("bank").status().state() == PoolStatus.State.PAUSED);
            WirePortTest.run(other, "RESUME bank");
            assertThatThrownBy(() -> pause.get(10, TimeUnit.SECONDS))
                    .hasStackTraceContaining("bank was resumed while PAUSE waited for the end of 1 lease");
            client.rollback();
        }
    }

    /** The pause stays until somebody resumes the domain. */
    @Test
    void aPauseWhoseClientLeavesWaitsNoLonger() throws Exception {
        try (Connection client = port.connect("bank");
                RawClient console = new RawClient(port.wire.port()).login(WirePort.CONSOLE)) {
            client.setAutoCommit(false);
            WirePortTest.number(client, "select 1");
            console.send('Q', "PAUSE bank\0");
            await().until(() -> port.pool("bank").status().state() == PoolStatus.State.PAUSED);
            console.finish();
            assertThat(console.readOrEnd()).isNull();
            assertThat(port.pool("bank").status().inUse()).isEqualTo(1);
            assertThat(port.pool("bank").status().state()).isEqualTo(PoolStatus.State.PAUSED);
            client.rollback();
        } finally {
            port.pool("bank").resume().toCompletableFuture().join();
        }
    }

    /** They wait in the reader meanwhile. */
    @Test
    void commandsThatComeDuringAPauseAreExecutedAfterIt() throws Exception {
        try (Connection client = port.connect("bank");
                RawClient console = new RawClient(port.wire.port()).login(WirePort.CONSOLE)) {
            client.setAutoCommit(false);
            WirePortTest.number(client, "select 1");
            console.write('Q', "PAUSE bank\0");
            for (int i = 0; i < 1_000; i++) {
                console.write('Q', "SHOW VERSION\0");
            }
            console.send('Q', "RESUME bank\0");
            await().until(() -> port.pool("bank").status().state() == PoolStatus.State.PAUSED);
            client.rollback();
            assertThat(console.untilReady()).isEqualTo("CZI");
            for (int i = 0; i < 1_000; i++) {
                assertThat(console.untilReady()).isEqualTo("TDCZI");
            }
            assertThat(console.untilReady()).isEqualTo("CZI");
            assertThat(port.pool("bank").status().state()).isEqualTo(PoolStatus.State.OPEN);
        } finally {
            port.pool("bank").resume().toCompletableFuture().join();
        }
    }

    private static CompletableFuture<Void> paused(Connection console) {
        return CompletableFuture.runAsync(() -> {
            try {
                WirePortTest.run(console, "PAUSE bank");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void aRefusalTellsWhatWasWrongAndNoMore() throws SQLException {
        try (Connection console = console()) {
            Map<String, String> refusals = Map.of(
                    "select *\n  from pg_class where " + "x = 1 and ".repeat(100) + "true",
                    "the console does not know 'select * from pg_class where x = 1 and x = 1 and x = 1 and x…'",
                    "SHOW",
                    "the console does not know 'SHOW'",
                    "show mem",
                    "the console does not know 'SHOW MEM'",
                    "pause nowhere",
                    "there is no domain nowhere",
                    "KILL bank",
                    "KILL takes the id of one client, which SHOW CLIENTS lists",
                    "KILL_CLIENT 999999",
                    "there is no client 999999; SHOW CLIENTS lists their ids");
            refusals.forEach((command, message) -> assertThatThrownBy(() -> WirePortTest.run(console, command))
                    .isInstanceOfSatisfying(PSQLException.class, e -> {
                        ServerErrorMessage told = Objects.requireNonNull(e.getServerErrorMessage());
                        assertThat(told.getMessage()).isEqualTo(message);
                        assertThat(told.getDetail() != null)
                                .as("what is allowed, for " + command)
                                .isEqualTo(message.contains("does not know"));
                    }));
        }
    }

    /** All of them grow by what a statement of known length took and another waited for it, and none ever shrinks. */
    @Test
    void sumsTimesAndBytesUp() throws Exception {
        port.open("timed", PoolMode.TRANSACTION, 1);
        try (Connection holder = port.connect("timed");
                Connection waiter = port.connect("timed");
                Connection console = console()) {
            Map<String, String> before = named(console, "SHOW STATS", "database", "timed");
            holder.setAutoCommit(false);
            WirePortTest.text(holder, "select repeat('x', 5000)");
            Thread waiting = Thread.startVirtualThread(() -> {
                try {
                    WirePortTest.number(waiter, "select 1");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            await().until(() -> port.pool("timed").status().waiting() == 1);
            WirePortTest.text(holder, "select pg_sleep(0.3)");
            await().untilAsserted(() -> assertThat(grown(console, before, "total_xact_time"))
                    .as("within the transaction")
                    .isGreaterThanOrEqualTo(300_000));
            holder.rollback();
            assertThat(waiting.join(Duration.ofSeconds(10))).isTrue();

            await().untilAsserted(() -> {
                assertThat(grown(console, before, "total_query_time")).isGreaterThanOrEqualTo(300_000);
                assertThat(grown(console, before, "total_wait_time")).isGreaterThanOrEqualTo(300_000);
                assertThat(grown(console, before, "total_sent")).isGreaterThanOrEqualTo(5_000);
                assertThat(grown(console, before, "total_received")).isPositive();
            });
            holder.setAutoCommit(true);
            await().untilAsserted(() -> {
                for (int i = 0; i < 20; i++) {
                    WirePortTest.number(holder, "select 1"); // so many that a mean per second is no 0
                }
                assertThat(named(console, "SHOW STATS", "database", "timed")).allSatisfy((column, value) -> {
                    if (column.startsWith("avg_")) {
                        assertThat(Long.parseLong(value)).as(column).isPositive();
                    }
                });
            });
            Map<String, String> after = named(console, "SHOW STATS", "database", "timed");
            List<String> old = ids("timed");
            WirePortTest.run(console, "RECONNECT timed");
            await().until(() -> ids("timed").stream().noneMatch(old::contains));
            for (String column : List.of("total_xact_time", "total_query_time", "total_sent", "total_received")) {
                assertThat(grown(console, after, column)).as(column).isNotNegative();
            }
        } finally {
            port.domains.remove("timed");
        }
    }

    private static List<String> ids(String domain) {
        return port.pool(domain).connections().stream().map(each -> each.id()).toList();
    }

    private static long grown(Connection console, Map<String, String> before, String column) throws SQLException {
        return Long.parseLong(named(console, "SHOW STATS", "database", "timed").get(column))
                - Long.parseLong(before.get(column));
    }

    @Test
    void endsWithThePort() throws IOException {
        try (Port other = new Port(1);
                RawClient console = new RawClient(other.wire.port()).login(WirePort.CONSOLE)) {
            other.wire.close();
            assertThat(console.read().text()).contains("57P01");
            assertThat(console.readOrEnd()).isNull();
        }
    }

    @Test
    void pausesAndResumes() throws Exception {
        try (Connection client = port.connect("bank");
                Connection console = console()) {
            WirePortTest.run(console, "PAUSE bank");
            assertThat(port.pool("bank").status().state()).isEqualTo(PoolStatus.State.PAUSED);
            Thread waiter = Thread.startVirtualThread(() -> {
                try {
                    WirePortTest.number(client, "select 1");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            await().until(() -> port.pool("bank").status().waiting() == 1);
            assertThat(named(console, "show databases", "name", "bank")).containsEntry("paused", "1");
            WirePortTest.run(console, "RESUME bank");
            assertThat(waiter.join(Duration.ofSeconds(10))).isTrue();
            WirePortTest.run(console, "RECONNECT");
        }
    }

    @Test
    void killsAClientAndRefusesWhatItDoesNotKnow() throws SQLException {
        try (Connection client = port.connect("bank", "ApplicationName", "victim");
                Connection console = console()) {
            String id =
                    named(console, "show clients", "application_name", "victim").get("remote_pid");
            WirePortTest.run(console, "KILL " + id);
            assertThatThrownBy(() -> WirePortTest.number(client, "select 1")).isInstanceOf(SQLException.class);
            for (String unknown : List.of("select 1", "show nothing", "pause nowhere", "kill 999999", "drop table x")) {
                assertThatThrownBy(() -> WirePortTest.run(console, unknown))
                        .as(unknown)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("42601"));
            }
        }
        assertThatThrownBy(() -> port.connect("headgate", "user", "nobody").close())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
    }

    /** Its commands wait in its own socket, and what it does not take is counted. */
    @Test
    void aClientThatTakesNoAnswersIsNotReadAnyFurther() throws Exception {
        int commands = 10_000; // with more bytes of answers than the system's buffers take
        try (Socket small = new Socket()) {
            small.setReceiveBufferSize(4096);
            small.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.wire.port()));
            RawClient client = new RawClient(small).login("headgate");
            Thread sender = Thread.startVirtualThread(() -> {
                try {
                    for (int n = 0; n < commands; n++) {
                        client.write('Q', "SHOW STATS\0");
                    }
                    client.out.flush();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            await().atMost(Duration.ofSeconds(30)).until(() -> held() >= 64 * 1024);
            for (int n = 0; n < commands; n++) {
                assertThat(held()).isLessThan(66 * 1024); // one answer is in the making
                assertThat(client.untilReady()).matches("TD+CZI");
            }
            sender.join();
            await().until(() -> held() == 0);
        }
    }

    /** A client that says only what needs no work is held up, too. */
    @Test
    void messagesThatAreAnsweredAtOnceWaitAsWell() throws Exception {
        int messages = 200_000;
        try (RawClient client = new RawClient(port.wire.port()).login("headgate")) {
            Thread sender = Thread.startVirtualThread(() -> {
                try {
                    for (int n = 0; n < messages; n++) {
                        client.write('S', "");
                    }
                    client.out.flush();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            for (int n = 0; n < messages; n++) {
                assertThat(client.untilReady()).isEqualTo("ZI");
            }
            sender.join();
        }
    }

    @Test
    void anAnswerThatHasNoRoomIsRefused() throws Exception {
        try (Connection console = console();
                MemoryAccount.Share other = port.memory.share(RelayLoops.HOLDER, "headgate")) {
            while (other.tryReserve(1 << 20)) {} // as much as a client may have
            try (MemoryAccount.Share another = port.memory.share(RelayLoops.HOLDER, "headgate")) {
                while (another.tryReserve(1 << 20)) {} // and the party
                assertThatThrownBy(() -> rows(console, "SHOW HELP"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("53200"));
            }
            assertThat(rows(console, "SHOW HELP")).hasSize(5);
        }
    }

    @Test
    void theConsoleHasAHundredPlaces() throws Exception {
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int n = 0; n < 100; n++) {
                clients.add(new RawClient(port.wire.port()).login("headgate"));
            }
            assertThatThrownBy(() -> new RawClient(port.wire.port()).login("headgate"))
                    .hasMessageContaining("53300")
                    .hasMessageContaining("the console has 100 clients already");
            clients.removeLast().close();
            await().ignoreExceptions().until(() -> {
                clients.add(new RawClient(port.wire.port()).login("headgate"));
                return true;
            });
        } finally {
            for (RawClient each : clients) {
                each.close();
            }
        }
    }

    private static long held() {
        return port.memory.lines().getFirst().reserved();
    }

    private static Connection console() throws SQLException {
        return port.connect("headgate", "preferQueryMode", "simple");
    }

    private static Map<String, String> named(Connection console, String command, String column, String value)
            throws SQLException {
        return rows(console, command).stream()
                .filter(row -> value.equals(row.get(column)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(command + " has no row of " + column + " " + value));
    }

    private static List<Map<String, String>> rows(Connection console, String command) throws SQLException {
        List<Map<String, String>> rows = new ArrayList<>();
        try (Statement statement = console.createStatement();
                ResultSet row = statement.executeQuery(command)) {
            ResultSetMetaData columns = row.getMetaData();
            while (row.next()) {
                Map<String, String> found = new HashMap<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    found.put(columns.getColumnName(i), row.getString(i));
                }
                rows.add(found);
            }
        }
        return rows;
    }
}
