package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What drivers do not do, or not always, and what is not the protocol at all. */
@Timeout(120)
class RawProtocolTest {

    private static final String TYPES = "QPBDECSHXFdcfp?\0\u00ff";

    /** More than the sockets between server and client hold. */
    private static final String MUCH_TO_READ = "select repeat('x', 1000) from generate_series(1, 200000)\0";

    private static Port port;
    private static Port patient;

    @BeforeAll
    static void open() throws IOException {
        port = new Port(
                2,
                settings -> new WireSettings(
                        settings.address(),
                        0,
                        settings.tls(),
                        Duration.ofSeconds(2),
                        Duration.ZERO,
                        Duration.ofSeconds(2),
                        false,
                        false,
                        1,
                        settings.mostArriving(),
                        settings.connectionsPerAddress(),
                        settings.mostClients(),
                        settings.mostStatements()));
        patient = new Port(2);
    }

    @AfterAll
    static void close() throws IOException {
        port.close();
        patient.close();
    }

    @Test
    void aPipelineIsAnsweredInItsOrder() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('P', "one\0select 1\0\0\0")
                    .send('B', "\0one\0\0\0\0\0\0\0")
                    .send('E', "\0\0\0\0\0");
            client.send('P', "two\0select 2\0\0\0")
                    .send('B', "\0two\0\0\0\0\0\0\0")
                    .send('E', "\0\0\0\0\0");
            client.send('S');
            assertThat(client.untilReady()).isEqualTo("12DC12DCZI");
            // both are prepared on the connection by now: what is absorbed is answered in its turn
            client.send('C', "Sone\0").send('P', "one\0select 1\0\0\0").send('D', "Sone\0");
            client.send('B', "\0one\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("31tT2DCZI");
        }
    }

    @Test
    void anErrorInAPipelineSkipsToTheSyncAndForgetsWhatWasSkipped() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('P', "bad\0select nonsense\0\0\0")
                    .send('P', "late\0select 5\0\0\0")
                    .send('S');
            assertThat(client.untilReady()).isEqualTo("EZI");
            client.send('B', "\0late\0\0\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("EZI");
            client.send('P', "late\0select 5\0\0\0")
                    .send('B', "\0late\0\0\0\0\0\0\0")
                    .send('E', "\0\0\0\0\0")
                    .send('S');
            assertThat(client.untilReady()).isEqualTo("12DCZI");
            client.send('P', "late\0select 6\0\0\0").send('S');
            assertThat(client.untilReady()).as("a name that is taken").isEqualTo("EZI");
        }
    }

    /** And no name that the server has for them. */
    @Test
    void errorsNameStatementsAsTheClientDoes() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('P', "mine\0select $1::int\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("1ZI");
            client.send('P', "mine\0select 6\0\0\0").send('S');
            assertThat(client.read().text()).contains("C42P05\0Mprepared statement \"mine\" already exists\0");
            assertThat(client.untilReady()).isEqualTo("ZI");
            client.send('B', "\0mine\0\0\0\0\0\0\0").send('S');
            assertThat(client.read().text())
                    .contains("C08P01\0M")
                    .contains("prepared statement \"mine\" requires 1")
                    .doesNotContain("headgate_");
            assertThat(client.untilReady()).isEqualTo("ZI");
            client.send('P', "\u00e9\0select 6\0\0\0")
                    .send('P', "\u00e9\0select 6\0\0\0")
                    .send('S');
            assertThat(client.read().type()).isEqualTo('1');
            assertThat(client.read().text()).contains("prepared statement \"\u00e9\" already exists\0");
            assertThat(client.untilReady()).isEqualTo("ZI");
        }
    }

    /** As psycopg does in its pipeline mode, after a rollback. */
    @Test
    void whatIsPreparedAfterADeallocateAllOfTheSamePipelineStays() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.write('P', "before\0select 4\0\0\0")
                    .write('P', "\0deallocate all\0\0\0")
                    .write('B', "\0\0\0\0\0\0\0\0")
                    .write('E', "\0\0\0\0\0")
                    .write('P', "after\0select 5\0\0\0")
                    .send('S');
            assertThat(client.untilReady()).isEqualTo("112C1ZI");
            client.send('B', "\0after\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("2DCZI");
            client.send('B', "\0before\0\0\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("EZI");
            client.write('Q', "select 1; deallocate all; select 2\0")
                    .write('P', "later\0select 6\0\0\0")
                    .send('S');
            assertThat(client.untilReady()).isEqualTo("TDCCTDCZI");
            assertThat(client.untilReady()).isEqualTo("1ZI");
            client.send('B', "\0later\0\0\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("2ZI");
        }
    }

    @Test
    void aSetConfigWithoutItsParametersIsAnErrorOfTheServerAndOneWithLongOnesIsExecuted() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('P', "set\0select set_config('work_mem', $1, false)\0\0\0")
                    .send('B', "\0set\0\0\0\0\0\0\0")
                    .send('E', "\0\0\0\0\0")
                    .send('S');
            assertThat(client.read().type()).isEqualTo('1');
            assertThat(client.read().text()).contains("C08P01\0M").contains("prepared statement \"set\" requires 1");
            assertThat(client.untilReady()).isEqualTo("ZI");
            String text = "x".repeat(20_000);
            client.send('P', "long\0select length($1), set_config('work_mem', $2, false)\0\0\0")
                    .send('B', "\0long\0\0\0\0\2\0\0\u004e\u0020" + text + "\0\0\0\0045123\0\0")
                    .send('E', "\0\0\0\0\0")
                    .send('S');
            assertThat(client.untilReady()).isEqualTo("12DCZI");
            client.send('Q', "show work_mem\0");
            assertThat(client.read().type()).isEqualTo('T');
            assertThat(client.read().text()).endsWith("5123kB");
            assertThat(client.untilReady()).isEqualTo("CZI");
        }
    }

    /** Tens of thousands delayed the neighbours on the client's loop by half a second. */
    @Test
    void aClientMayHaveAThousandSettingsAndNoMore() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            for (int round = 0; round < 2; round++) { // set again they are no more
                for (int from = 0; from < 900; from += 100) {
                    client.send('Q', settings(from, from + 100));
                    assertThat(client.untilReady()).endsWith("CZI");
                }
            }
            client.send('Q', "begin;" + settings(900, 950));
            assertThat(client.untilReady()).endsWith("CZT");
            client.send('Q', settings(950, 1_050));
            RawClient.Message refused = client.read();
            assertThat(refused.text()).contains("C53200").contains("1000 settings");
            assertThat(client.readOrEnd()).isNull();
        }
    }

    private static String settings(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj("set my.s%d = 1"::formatted)
                .collect(Collectors.joining(";", "", "\0"));
    }

    @Test
    void flushIsAnsweredWithoutASync() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('P', "\0select 1\0\0\0").send('D', "S\0").send('H');
            assertThat(client.read().type()).isEqualTo('1');
            assertThat(client.read().type()).isEqualTo('t');
            assertThat(client.read().type()).isEqualTo('T');
            client.send('B', "\0\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("2DCZI");
        }
    }

    /** As libpq asks for them with each execution. They have their formats, and follow a change of the table. */
    @Test
    void columnsThatAreKnownAreToldAsTheServerTellsThem() throws Exception {
        try (Connection direct = port.direct();
                Statement owner = direct.createStatement();
                RawClient client = new RawClient(port.wire.port()).login("bank")) {
            owner.execute("DROP TABLE IF EXISTS described; CREATE TABLE described (a int, \"b b\" text)");
            owner.execute("GRANT ALL ON described TO PUBLIC");
            client.send('P', "s\0select * from described where a = $1\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("1ZI");
            byte[] texts = columns(client, "\0\0");
            byte[] binary = columns(client, "\0\1\0\1");
            assertThat(binary).isNotEqualTo(texts);
            for (int again = 0; again < 3; again++) {
                assertThat(columns(client, "\0\0")).isEqualTo(texts);
                assertThat(columns(client, "\0\1\0\0")).isEqualTo(texts);
                assertThat(columns(client, "\0\1\0\1")).isEqualTo(binary);
            }
            owner.execute("ALTER TABLE described ADD COLUMN c int");
            client.send('B', "\0s\0\0\0\0\1\0\0\0\0017\0\0").send('D', "P\0").send('E', "\0\0\0\0\0");
            client.send('S');
            assertThat(client.untilReady()).as("it knows the old columns").isEqualTo("EZI");
            client.send('P', "t\0select * from described where a = $1\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("1ZI");
            client.send('B', "\0t\0\0\0\0\1\0\0\0\0017\0\0").send('D', "P\0").send('S');
            assertThat(client.read().type()).isEqualTo('2');
            assertThat(client.read().text()).contains("b b", "c\0");
            assertThat(client.untilReady()).isEqualTo("ZI");
        }
    }

    /** The columns of an execution of "s" with 7, which finds nothing. */
    private static byte[] columns(RawClient client, String formats) throws IOException {
        client.send('B', "\0s\0\0\0\0\1\0\0\0\0017" + formats)
                .send('D', "P\0")
                .send('E', "\0\0\0\0\0")
                .send('S');
        assertThat(client.read().type()).isEqualTo('2');
        RawClient.Message columns = client.read();
        assertThat(columns.type()).isEqualTo('T');
        assertThat(client.untilReady()).isEqualTo("CZI");
        return columns.body();
    }

    /** Until the Sync it is one transaction, in which nobody else may take part. */
    @Test
    void workWithoutASyncKeepsItsConnection() throws IOException {
        try (RawClient client = new RawClient(patient.wire.port()).login("bank")) {
            client.send('P', "\0select 1\0\0\0").send('B', "\0\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0");
            client.send('H');
            for (char expected : "12DC".toCharArray()) {
                assertThat(client.read().type()).isEqualTo(expected);
            }
            assertThat(patient.pool("bank").status().inUse()).isEqualTo(1);
            client.send('S');
            assertThat(client.untilReady()).isEqualTo("ZI");
            await().until(() -> patient.pool("bank").status().inUse() == 0);
        }
    }

    /** asyncpg prepares so, and may execute much later. */
    @Test
    void whatIsOnlyPreparedGivesItsConnectionBackBeforeTheSync() throws IOException {
        try (RawClient client = new RawClient(patient.wire.port()).login("bank")) {
            client.send('P', "asked\0select 1\0\0\0").send('D', "Sasked\0").send('H');
            for (char expected : "1tT".toCharArray()) {
                assertThat(client.read().type()).isEqualTo(expected);
            }
            await().until(() -> patient.pool("bank").status().inUse() == 0);
            client.send('B', "\0asked\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).isEqualTo("2DCZI");

            client.send('P', "wrong\0select nonsense\0\0\0").send('H');
            assertThat(client.read().type()).isEqualTo('E');
            await().until(() -> patient.pool("bank").status().inUse() == 0);
            client.send('B', "\0asked\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
            assertThat(client.untilReady()).as("skipped up to the Sync").isEqualTo("ZI");
        }
        for (int i = 0; i < 4; i++) {
            try (RawClient other = new RawClient(patient.wire.port()).login("bank")) {
                other.send('Q', "select 1\0");
                assertThat(other.untilReady()).isEqualTo("TDCZI");
            }
        }
    }

    /** pgx sends a copy's data behind its query at once; libpq a Sync that the server ignores before it. */
    @Test
    void copiesDataThatComesBeforeItIsAskedFor() throws IOException {
        try (RawClient client = new RawClient(patient.wire.port()).login("bank")) {
            client.send('Q', "create table if not exists raw_copied (id int)\0");
            client.untilReady();
            client.send('Q', "truncate raw_copied\0");
            client.untilReady();
            client.send('Q', "copy raw_copied from stdin\0")
                    .send('d', "1\n")
                    .send('d', "2\n")
                    .send('c');
            assertThat(client.untilReady()).isEqualTo("GCZI");
            client.send('P', "\0copy raw_copied from stdin\0\0\0").send('B', "\0\0\0\0\0\0\0\0");
            client.send('E', "\0\0\0\0\0").send('S');
            for (char expected : "12G".toCharArray()) {
                assertThat(client.read().type()).isEqualTo(expected);
            }
            client.send('d', "3\n").send('c').send('S');
            assertThat(client.untilReady()).isEqualTo("CZI");
            client.send('Q', "copy raw_copied from nowhere\0").send('d', "4\n").send('c');
            assertThat(client.untilReady()).isEqualTo("EZI");
            client.send('Q', "select from raw_copied\0");
            assertThat(client.untilReady()).isEqualTo("TDDDCZI");
        }
    }

    /** asyncpg sends as much as it has, and the rest when it is asked for it. */
    @Test
    void copiesMuchDataThatComesBeforeItIsAskedFor() throws IOException {
        try (RawClient client = new RawClient(patient.wire.port()).login("bank")) {
            client.send('Q', "create temp table much_copied (id int)\0");
            client.untilReady();
            client.send('Q', "select pg_sleep(0.2)\0"); // so that all of it is there when it is taken
            client.send('Q', "copy much_copied from stdin\0").send('d', "1234567\n".repeat(10_000));
            assertThat(client.untilReady()).isEqualTo("TDCZI");
            assertThat(client.read().type()).isEqualTo('G');
            client.send('d', "1234567\n".repeat(10_000)).send('c');
            assertThat(client.untilReady()).isEqualTo("CZI");
        }
    }

    @Test
    void aCopyThatFailsIsToldAtOnceAndGivesItsConnectionBack() throws IOException {
        try (RawClient client = new RawClient(patient.wire.port()).login("bank")) {
            client.send('Q', "create table if not exists raw_failed (id int)\0");
            client.untilReady();
            for (int lines : new int[] {1, 20_000}) {
                client.send('Q', "copy raw_failed from stdin\0");
                assertThat(client.read().type()).isEqualTo('G');
                client.send('d', "no number\n".repeat(lines));
                assertThat(client.untilReady()).isEqualTo("EZI");
                await().until(() -> patient.pool("bank").status().inUse() == 0);
            }
            client.send('c').send('Q', "select from raw_failed\0");
            assertThat(client.untilReady()).isEqualTo("TCZI");
        }
    }

    /** The server waits for more of the pipeline, and what it has answered ends within a message. */
    @Test
    void sendsOnWhileHalfAnAnswerIsHere() throws Exception {
        String text = "x".repeat(500);
        try (RawClient client = new RawClient(patient.wire.port()).login("bank");
                Connection direct = patient.direct()) {
            client.send('P', "\0select repeat('y', 3000) || $1, 'half'\0\0\0");
            for (int i = 0; i < 200; i++) {
                client.send('B', ("\0\0\0\0\0\1\0\0\1\364" + text + "\0\0").getBytes(StandardCharsets.ISO_8859_1));
                client.send('E', "\0\0\0\0\0");
                if (i == 99) {
                    await().until(() -> waitsForItsClient(direct));
                }
            }
            client.send('S');
            assertThat(client.untilReady()).isEqualTo("1" + "2DC".repeat(200) + "ZI");
        }
    }

    private static boolean waitsForItsClient(Connection direct) throws SQLException {
        try (Statement statement = direct.createStatement();
                ResultSet found = statement.executeQuery(
                        "select from pg_stat_activity where wait_event = 'ClientRead' and state = 'active' and query like '%half%'")) {
            return found.next();
        }
    }

    @Test
    void tellsWhoListensWhileItIsIdle() throws IOException {
        try (RawClient listener = new RawClient(patient.wire.port()).login("bank");
                RawClient speaker = new RawClient(patient.wire.port()).login("bank")) {
            listener.send('Q', "listen raw_news\0");
            assertThat(listener.untilReady()).isEqualTo("CZI");
            for (int i = 0; i < 2; i++) {
                speaker.send('Q', "notify raw_news\0");
                assertThat(speaker.untilReady()).isEqualTo("CZI");
                assertThat(listener.read().type()).isEqualTo('A');
                listener.send('Q', "select 1\0");
                assertThat(listener.untilReady()).isEqualTo("TDCZI");
            }
        }
        await().until(() -> patient.pool("bank").status().inUse() == 0);
    }

    @Test
    void anUnnamedStatementIsPreparedAgainWhereItIsNot() throws IOException {
        try (RawClient one = new RawClient(port.wire.port()).login("bank");
                RawClient two = new RawClient(port.wire.port()).login("bank")) {
            one.send('P', "\0select 1\0\0\0").send('S');
            assertThat(one.untilReady()).isEqualTo("1ZI");
            for (int i = 0; i < 3; i++) {
                two.send('Q', "select 2\0");
                assertThat(two.untilReady()).isEqualTo("TDCZI");
                one.send('B', "\0\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0").send('S');
                assertThat(one.untilReady()).isEqualTo("2DCZI");
            }
        }
    }

    @Test
    void aNewerMinorVersionIsNegotiatedDown() throws IOException {
        try (RawClient client = new RawClient(port.wire.port())) {
            client.startup(3 << 16 | 2, "user", Port.USER, "database", "bank", "_pq_.test", "1");
            RawClient.Message answer = client.read();
            assertThat(answer.type()).isEqualTo('v');
            assertThat(java.nio.ByteBuffer.wrap(answer.body()).getInt()).isEqualTo(3 << 16);
            assertThat(answer.text()).contains("_pq_.test");
            assertThat(client.read().type()).isEqualTo('R');
        }
    }

    @Test
    void aClientThatPreparesLongStatementsWithoutEndIsToldAndNobodyElseNotices() throws IOException {
        try (RawClient greedy = new RawClient(port.wire.port()).login("bank");
                RawClient other = new RawClient(port.wire.port()).login("bank")) {
            String text = "select 1 /*" + "x".repeat(14 << 20) + "*/";
            String answer = "";
            for (int i = 0; i < 40 && !answer.contains("53200"); i++) {
                greedy.send('P', "s" + i + "\0" + text + "\0\0\0").send('S');
                RawClient.Message first = greedy.read();
                answer = first.type() == 'E' ? first.text() : "";
                if (answer.isEmpty()) {
                    assertThat(greedy.read().type()).isEqualTo('Z');
                }
            }
            assertThat(answer).contains("53200", "out of memory");
            assertThat(greedy.readOrEnd()).isNull();
            other.send('Q', "select 1\0");
            assertThat(other.untilReady()).isEqualTo("TDCZI");
        }
        await().until(() -> port.memory.reserved() == 0);
    }

    @Test
    void aClientThatIsRefusedAtTheBeginOfALongMessageReadsWhyOnceItHasSentThat() throws IOException {
        try (RawClient greedy = new RawClient(port.wire.port()).login("bank")) {
            greedy.send('P', "s\0select 1 /*" + "x".repeat(60 << 20) + "*/\0\0\0")
                    .send('S');
            assertThat(greedy.read().text()).contains("FATAL", "54000");
            assertThat(greedy.readOrEnd()).isNull();
        }
    }

    @Test
    void aClientWhoseSessionEndsWhileALongStatementIsGatheredReadsWhyOnceItHasSentThat() throws IOException {
        var known = port.clients;
        byte[] body = ("s\0select 1 /*" + "x".repeat(15 << 20) + "*/\0\0\0").getBytes(StandardCharsets.UTF_8);
        int sent = 9 << 20;
        try (RawClient leaver = new RawClient(port.wire.port()).login("bank")) {
            leaver.out.writeByte('P');
            leaver.out.writeInt(4 + body.length);
            leaver.out.write(body, 0, sent);
            leaver.out.flush();
            await().until(() -> port.wire.clients().stream().anyMatch(each -> each.bytesIn() > sent));
            port.clients = _ -> Optional.empty();
            port.wire.endUnknown();
            leaver.out.write(body, sent, body.length - sent);
            leaver.out.flush();
            assertThat(leaver.read().text()).contains("FATAL", "57P01");
            assertThat(leaver.readOrEnd()).isNull();
        } finally {
            port.clients = known;
        }
    }

    /** As PostgreSQL does it; node-postgres's own tests take any word for an error. */
    @Test
    void whoSaysFarewellBeforeItsNameIsLetGoWithoutAWord() throws IOException {
        try (RawClient client = new RawClient(port.wire.port())) {
            client.send('X');
            assertThat(client.readOrEnd()).isNull();
        }
    }

    @Test
    void whatNobodyUsesIsRefusedByName() throws IOException {
        try (RawClient client = new RawClient(port.wire.port())) {
            client.startup(3 << 16, "user", Port.USER, "database", "bank", "replication", "true");
            assertThat(client.read().text()).contains("0A000", "replication");
        }
    }

    @Test
    void whoIsSilentInATransactionLosesItAndIsTold() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('Q', "begin\0");
            assertThat(client.untilReady()).isEqualTo("CZT");
            assertThat(client.read().text()).contains("25P03");
            assertThat(client.readOrEnd()).isNull();
        }
        await().until(() -> port.pool("bank").status().inUse() == 0);
    }

    @Test
    void whoListensOrHasASessionOfItsOwnMayBeSilent() throws IOException {
        try (RawClient session = new RawClient(port.wire.port()).login("session");
                RawClient listener = new RawClient(port.wire.port()).login("bank");
                RawClient other = new RawClient(port.wire.port()).login("bank")) {
            session.send('Q', "select 1\0");
            assertThat(session.untilReady()).isEqualTo("TDCZI");
            listener.send('Q', "listen raw_silence\0");
            assertThat(listener.untilReady()).isEqualTo("CZI");
            other.send('Q', "begin\0");
            assertThat(other.untilReady()).isEqualTo("CZT");
            assertThat(other.read().text()).as("silent after them").contains("25P03");
            for (RawClient each : List.of(session, listener)) {
                each.send('Q', "select 1\0");
                assertThat(each.untilReady()).isEqualTo("TDCZI");
            }
        }
    }

    @Test
    void whoTakesNothingLosesTheConnectionAfterItsDeadline() throws IOException {
        try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
            client.send('Q', MUCH_TO_READ);
            await().until(() -> port.pool("bank").status().inUse() == 1);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> port.pool("bank").status().inUse() == 0);
        }
    }

    @Test
    void whoCancelsWithoutReadingIsHeard() throws IOException {
        try (RawClient client = new RawClient(patient.wire.port()).login("bank")) {
            client.send('Q', MUCH_TO_READ);
            await().until(() -> patient.pool("bank").connections().stream().anyMatch(each -> each.bytesIn() > 100_000));
            try (RawClient canceller = new RawClient(patient.wire.port())) {
                canceller.out.writeInt(16);
                canceller.out.writeInt(80877102);
                canceller.out.writeInt(client.process);
                canceller.out.writeInt(client.secret);
                canceller.out.flush();
                assertThat(canceller.readOrEnd()).as("the server has been told").isNull();
            }
            RawClient.Message last = client.read();
            while (last.type() != 'E') {
                last = client.read();
            }
            assertThat(last.text()).contains("57014");
            assertThat(client.untilReady()).isEqualTo("ZI");
        }
    }

    @Test
    void noBytesBreakAnythingButTheirOwnSession() throws Exception {
        for (int seed = 0; seed < 150; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            try (RawClient client = new RawClient(port.wire.port())) {
                if (random.nextInt(4) == 0) {
                    byte[] noise = new byte[random.nextInt(200)];
                    random.nextBytes(noise);
                    client.out.write(noise);
                    client.out.flush();
                } else {
                    client.login("bank");
                    for (int n = random.nextInt(12); n > 0; n--) {
                        utter(client, random);
                    }
                }
            } catch (IOException refused) {
                // its own session may end at any of that
            }
        }
        await().atMost(Duration.ofSeconds(30))
                .until(() -> port.pool("bank").status().inUse() == 0);
        for (int i = 0; i < 4; i++) {
            try (RawClient client = new RawClient(port.wire.port()).login("bank")) {
                client.send('Q', "select 1\0");
                assertThat(client.untilReady()).isEqualTo("TDCZI");
                client.send('P', "p\0select 2\0\0\0")
                        .send('B', "\0p\0\0\0\0\0\0\0")
                        .send('E', "\0\0\0\0\0")
                        .send('S');
                assertThat(client.untilReady()).isEqualTo("12DCZI");
            }
        }
    }

    private static void utter(RawClient client, SplittableRandom random) throws IOException {
        char type = TYPES.charAt(random.nextInt(TYPES.length()));
        byte[] body = new byte[random.nextInt(60)];
        random.nextBytes(body);
        switch (random.nextInt(6)) {
            case 0 -> client.send('Q', "select 1\0");
            case 1 -> client.send('P', "s" + random.nextInt(3) + "\0select 1\0\0\0");
            case 2 ->
                client.send('B', "\0s" + random.nextInt(3) + "\0\0\0\0\0\0\0").send('E', "\0\0\0\0\0");
            case 3 -> client.send('S');
            case 4 -> client.send(type, body);
            default -> {
                // a length that is wrong
                client.out.writeByte(type);
                client.out.writeInt(random.nextInt());
                client.out.write(body);
                client.out.flush();
            }
        }
    }

    /** The first byte is enough. */
    @Test
    void whoStartsTlsAtAPortWithoutACertificateIsClosed() throws IOException {
        try (RawClient client = new RawClient(port.wire.port())) {
            client.socket.setSoTimeout(10_000); // the login may take 15 s
            client.out.write(0x16);
            client.out.flush();
            assertThat(client.in.read()).isEqualTo(-1);
        }
    }

    /** Those who say nothing would stay for the login's ten minutes. */
    @Test
    void whoSaysNothingGivesWay() throws Exception {
        try (Port small = new Port(
                1,
                settings -> new WireSettings(
                        settings.address(),
                        0,
                        settings.tls(),
                        Duration.ofMinutes(10),
                        Duration.ZERO,
                        settings.transactionTimeout(),
                        false,
                        false,
                        1,
                        2,
                        2,
                        settings.mostClients(),
                        settings.mostStatements()))) {
            List<RawClient> silent = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    silent.add(new RawClient(small.wire.port()));
                }
                try (Connection connection = small.connect("bank")) {
                    assertThat(connection.isValid(10)).isTrue();
                }
                assertThat(silent.getFirst().in.read()).isEqualTo(-1);
                assertThat(small.wire.arrivals().present()).isLessThanOrEqualTo(2);
                assertThat(small.wire.arrivals().gaveWay()).isGreaterThanOrEqualTo(1);
            } finally {
                for (RawClient each : silent) {
                    each.close();
                }
            }
        }
    }
}
