package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.RelayLease;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that were found from outside, with drivers' own suites and a server that dies: each once more, on one loop and on several. */
@Timeout(120)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2, 4})
class FaultsTest {

    private static final String EXECUTE = "\0\0\0\0\0";
    private static final String OTHERS = "backend_type = 'client backend' and pid <> pg_backend_pid()";

    private static final String SLEEPING = "select count(*) from pg_stat_activity where query like '%pg_sleep(12)%'"
            + " and state = 'active' and pid <> pg_backend_pid()";

    /** For a busy machine: to see a client's end, to connect for the cancel, and to look. */
    private static final Duration MARGIN = Duration.ofMillis(500);

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

    @AfterEach
    void nothingWasLost() {
        port.assertExactLedger();
    }

    /** psycopg's pipeline: nothing is synced until much later, and the server says at once that a statement has failed. */
    @Test
    void anErrorInAPipelineWithoutASyncIsToldAtOnce() throws Exception {
        try (RawClient client = new RawClient(port.wire.port()).login("session")) {
            client.send('Q', "create temp table once (id int primary key)\0");
            assertThat(client.untilReady()).isEqualTo("CZI");
            client.send('P', "one\0insert into once values (1)\0\0\0");
            for (int i = 0; i < 3; i++) {
                client.send('B', "\0one\0\0\0\0\0\0\0").send('E', EXECUTE);
            }
            for (char expected : "12C2E".toCharArray()) {
                assertThat(client.read().type()).isEqualTo(expected);
            }
            client.send('S');
            assertThat(client.untilReady()).isEqualTo("ZI");
        }
    }

    /** A JDBC caller asks by an empty query whether a connection lives, and that query drops the statement on the server. */
    @Test
    void aStatementWithoutANameOutlivesAValidationByJdbc() throws Exception {
        port.open("alone", PoolMode.TRANSACTION, 1);
        for (UnnamedStatements kept : UnnamedStatements.values()) {
            port.domains.computeIfPresent(
                    "alone",
                    (name, domain) -> new Directory.Domain(
                            domain.pool(), domain.mode(), domain.mostClients(), domain.sessionState(), kept));
            try (RawClient client = new RawClient(port.wire.port()).login("alone")) {
                for (int lease = 0; lease < 2; lease++) { // the second one keeps it
                    client.send('P', "\0select 7\0\0\0").send('D', "S\0").send('S');
                    assertThat(client.untilReady()).isEqualTo("1tTZI");
                }
                try (RelayLease between = port.pool("alone").relay(LeaseRequest.by("validates"))) {
                    assertThat(between.connection().isValid(1)).isTrue();
                }
                client.send('B', "\0\0\0\0\0\0\0\0").send('E', EXECUTE).send('S');
                assertThat(client.untilReady()).as(kept.name()).isEqualTo("2DCZI");
            }
        }
    }

    @Test
    void theStatementsOfASessionOfItsOwnEndWithIt() throws Exception {
        direct("create table outlived (id int)");
        for (String type : new String[] {"int", "text", "date"}) {
            direct("alter table outlived drop column id, add column id " + type);
            try (RawClient client = new RawClient(port.wire.port()).login("session")) {
                client.send('P', "mine\0select * from outlived where id = $1\0\0\0")
                        .send('D', "Smine\0");
                client.send('S');
                assertThat(client.untilReady()).isEqualTo("1tTZI");
                client.send('Q', "select from pg_prepared_statements\0");
                assertThat(client.untilReady())
                        .as("no statement of another session")
                        .isEqualTo("TDCZI");
            }
            await().until(() -> port.pool("session").status().inUse() == 0);
        }
    }

    /** Past the port, so that nothing here has seen it. */
    @Test
    void aStatementWhoseTableWasAlteredElsewhereIsPreparedAnewAndTheRequestRepeated() throws Exception {
        direct("create table shifting (a int)");
        direct("insert into shifting values (1)");
        port.open("single", PoolMode.TRANSACTION, 1);
        for (int i = 0; i < 3; i++) {
            try (RawClient client = new RawClient(port.wire.port()).login("single")) {
                client.send('P', "named\0select * from shifting\0\0\0").send('S');
                assertThat(client.untilReady()).isEqualTo("1ZI");
                client.send('B', "\0named\0\0\0\0\0\0\0").send('D', "P\0").send('E', EXECUTE);
                client.send('S');
                assertThat(client.untilReady()).as("its first use").isEqualTo("2TDCZI");
                client.send('P', "\0select * from shifting\0\0\0").send('B', "\0\0\0\0\0\0\0\0");
                client.send('D', "P\0").send('E', EXECUTE).send('S');
                assertThat(client.untilReady()).isEqualTo("12TDCZI");
                direct("alter table shifting add column b" + i + " int");
                client.send('P', "\0select * from shifting\0\0\0").send('B', "\0\0\0\0\0\0\0\0");
                client.send('D', "P\0").send('E', EXECUTE).send('S');
                assertThat(client.untilReady()).as("without a name").isEqualTo("12TDCZI");
                client.send('B', "\0named\0\0\0\0\0\0\0").send('E', EXECUTE).send('S');
                assertThat(client.untilReady()).as("it knows what it gave").isEqualTo("EZI");
            }
            direct("alter table shifting add column c" + i + " int");
        }
    }

    /** Its table is altered past the port: what the server inferred for a parameter is not what it would infer now. */
    @Test
    void aKeptStatementWhoseParameterWouldNowBeOfAnotherTypeIsPreparedAnew() throws Exception {
        direct("create table retyped (id int, name text)");
        direct("insert into retyped values (7, 'seven')");
        port.open("retyped", PoolMode.TRANSACTION, 1);
        for (String name : new String[] {"", "named"}) {
            for (String type : new String[] {"int4", "text", "int4", "text"}) {
                direct("alter table retyped alter column id type %s using id::%s".formatted(type, type));
                for (int lease = 0; lease < 3; lease++) { // an unnamed one is kept from the second on
                    try (RawClient client = new RawClient(port.wire.port()).login("retyped")) {
                        String parse = name + "\0select name from retyped where id = $1\0\0\0";
                        client.send('P', parse).send('D', "S" + name + "\0").send('S');
                        assertThat(client.untilReady()).as(name + type).isEqualTo("1tTZI");
                        assertThat(client.parameterTypes()).containsExactly(type.equals("text") ? 25 : 23);
                        client.send('B', "\0" + name + "\0\0\0\0\1\0\0\0\1" + "7\0\0");
                        client.send('E', EXECUTE).send('S');
                        assertThat(client.untilReady()).as(name + type).isEqualTo("2DCZI");
                    }
                }
            }
        }
    }

    /** The server takes the old type's values until one does not fit. */
    @Test
    void aValueThatFitsTheNewTypeOnlyIsTakenByAKeptStatement() throws Exception {
        direct("create table widened (id int)");
        port.open("widened", PoolMode.TRANSACTION, 1);
        try (RawClient client = new RawClient(port.wire.port()).login("widened")) {
            for (int lease = 0; lease < 3; lease++) {
                insert(client, "7");
                assertThat(client.untilReady()).isEqualTo("12CZI");
            }
            direct("alter table widened alter column id type numeric");
            insert(client, "8");
            assertThat(client.untilReady()).isEqualTo("12CZI");
            insert(client, "0.5");
            assertThat(client.untilReady()).as("of the new type").isEqualTo("12CZI");
            insert(client, "half");
            assertThat(client.untilReady()).as("of neither").isEqualTo("1EZI");
        }
    }

    private static void insert(RawClient client, String value) throws IOException {
        client.send('P', "\0insert into widened values ($1)\0\0\0");
        client.send('B', "\0\0\0\0\0\1\0\0\0" + (char) value.length() + value + "\0\0");
        client.send('E', EXECUTE).send('S');
    }

    @Test
    void aStatementOfATypeThatIsGoneIsPreparedAnew() throws Exception {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            for (int i = 0; i < 3; i++) {
                direct("create type mood as enum ('sad', 'glad')");
                client.send('P', "\0select 'sad'::mood\0\0\0").send('B', "\0\0\0\0\0\0\0\0");
                client.send('E', EXECUTE).send('S');
                assertThat(client.untilReady()).isEqualTo("12DCZI");
                direct("drop type mood");
            }
        }
    }

    /** The end of its connection is what tells who listens that it must listen anew. */
    @Test
    void whoListensIsToldThatItsConnectionHasEnded() throws Exception {
        for (String domain : new String[] {"bank", "session"}) {
            try (RawClient client = new RawClient(port.wire.port()).login(domain)) {
                client.send('Q', "listen news\0");
                assertThat(client.untilReady()).isEqualTo("CZI");
                direct("select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'");
                assertThat(client.read().text()).contains("57P01");
                while (client.readOrEnd() != null) {
                    // its last words
                }
            }
        }
    }

    /** Its statement would run for another ten seconds. */
    @Test
    void aClientThatDiesGivesItsConnectionBackWithinASecond() throws Exception {
        RawClient client = new RawClient(port.wire.port()).login("bank");
        client.send('Q', "select pg_sleep(12)\0");
        await().until(() -> count(SLEEPING) == 1);
        client.close();
        await().atMost(Duration.ofSeconds(1).plus(MARGIN))
                .until(() -> port.pool("bank").status().inUse() == 0 && count(SLEEPING) == 0);
    }

    /** It catches its cancel, and would run for ten minutes beside the budget. */
    @Test
    void aStatementThatCannotBeCancelledEndsAfterItsClient() throws Exception {
        RawClient client = new RawClient(port.wire.port()).login("bank");
        client.send('Q', """
                do $$ begin
                  for i in 1..600 loop
                    begin perform pg_sleep(1); exception when query_canceled then null; end;
                  end loop;
                end $$\0""");
        String stubborn = "select count(*) from pg_stat_activity where state = 'active' and query like '%i in 1..600%'"
                + " and pid <> pg_backend_pid()";
        await().until(() -> count(stubborn) == 1);
        client.close();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> port.pool("bank").status().inUse() == 0 && count(stubborn) == 0);
    }

    @Test
    void nobodyNoticesThatIdleConnectionsWereEnded() throws Exception {
        try (RawClient one = new RawClient(port.wire.port()).login("bank");
                RawClient two = new RawClient(port.wire.port()).login("bank")) {
            for (int round = 0; round < 5; round++) {
                one.send('Q', "select 1\0");
                two.send('Q', "select 2\0");
                assertThat(one.untilReady()).isEqualTo("TDCZI");
                assertThat(two.untilReady()).isEqualTo("TDCZI");
                direct("select pg_terminate_backend(pid, 5000) from pg_stat_activity where " + OTHERS);
                for (int i = 0; i < 10; i++) {
                    one.send('Q', "select 3\0");
                    assertThat(one.untilReady()).isEqualTo("TDCZI");
                }
            }
        }
    }

    @Test
    void aTableInTheTemporarySchemaKeepsItsClient() throws Exception {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('Q', "create table pg_temp.mine (id int)\0");
            assertThat(client.untilReady()).isEqualTo("CZI");
            assertThat(port.pool("bank").status().inUse()).isEqualTo(1);
        }
        await().until(() -> port.pool("bank").status().inUse() == 0);
        assertThat(count("select count(*) from pg_class where relname = 'mine'"))
                .isZero();
    }

    /** A regular expression went as deep as a text is long. */
    @Test
    void noTextIsTooDeep() throws Exception {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('Q', "select set_config('work_mem', '" + "''".repeat(200_000) + "', false)\0");
            assertThat(client.untilReady()).isEqualTo("TEZI");
            client.send('Q', "select " + "(".repeat(100_000) + "1\0");
            assertThat(client.untilReady()).isEqualTo("EZI");
            client.send('Q', "select 1\0");
            assertThat(client.untilReady()).isEqualTo("TDCZI");
        }
    }

    /** It counts for the whole login, not for each byte of it. */
    @Test
    void whoLogsInTooSlowlyIsSentAway() throws Exception {
        try (Port hasty = new Port(
                        2,
                        settings -> new WireSettings(
                                settings.address(),
                                0,
                                settings.tls(),
                                Duration.ofSeconds(1),
                                Duration.ZERO,
                                Duration.ofSeconds(60),
                                false,
                                false,
                                loops,
                                settings.mostArriving(),
                                settings.connectionsPerAddress(),
                                settings.mostClients(),
                                settings.mostStatements()),
                        loops);
                RawClient client = new RawClient(hasty.wire.port())) {
            client.socket.setSoTimeout(200);
            long began = System.nanoTime();
            int answer = 0;
            while (answer >= 0 && System.nanoTime() - began < TimeUnit.SECONDS.toNanos(10)) {
                try {
                    client.out.write(0); // a byte of a length, now and then
                    client.out.flush();
                    answer = client.socket.getInputStream().read();
                } catch (java.net.SocketTimeoutException nothing) {
                    answer = 0;
                } catch (IOException closed) {
                    answer = -1;
                }
            }
            assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(5));
        }
    }

    private void direct(String sql) throws SQLException {
        try (Connection direct = port.direct();
                Statement statement = direct.createStatement()) {
            statement.execute(sql);
        }
    }

    private long count(String sql) throws SQLException {
        try (Connection direct = port.direct();
                Statement statement = direct.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
