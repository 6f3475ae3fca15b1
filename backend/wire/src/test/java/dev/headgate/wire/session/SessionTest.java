package dev.headgate.wire.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.SettingsText;
import dev.headgate.protocol.StatementCatalog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One thing that a session does after the other, in virtual time. */
class SessionTest {

    private static final int SECRET = 7;
    private static final Duration IDLE = Duration.ofMinutes(5);
    private static final Duration SILENT = Duration.ofMinutes(1);
    private static final Duration SERVER = Duration.ofSeconds(10);
    private static final String GREETING = "Z:I";

    private final Buffers buffers = new Buffers();
    private final StatementCatalog catalog = new StatementCatalog(100_000);
    private final AtomicLong schemas = new AtomicLong();

    /** Bytes of the texts that clients share, and how many there may be. */
    private long shared;

    private long roomForShared = 1_000_000;

    private final SharedTexts texts = new SharedTexts(
            bytes -> {
                boolean fits = shared + bytes <= roomForShared;
                shared += fits ? bytes : 0;
                return fits;
            },
            bytes -> shared += bytes);

    private final FakeBackend.Database database = new FakeBackend.Database();
    private final Deque<Server> free = new ArrayDeque<>();

    /** Connections that are opened from now on never answer. */
    private boolean halfOpen;

    /** Servers that are opened from now on keep answers back until a Sync. */
    private boolean keepsBack;

    /** The buffers of the domain are full. */
    private boolean full;

    private int opened;
    private int givenUp;
    private int clients;
    private long now = 1_000_000_000L;

    // ---- what is told of servers, clients and time

    private final class Server {
        final Link link = new Link(Map.of("server_version", "fake", "DateStyle", "ISO"), buffers);
        final FakeBackend backend = newBackend();
        boolean mute = halfOpen;
    }

    private FakeBackend newBackend() {
        FakeBackend fresh = new FakeBackend(database, buffers);
        fresh.keepsBack = keepsBack;
        return fresh;
    }

    private final class Client implements Surroundings {
        final FrameReader in = new FrameReader();
        final FrameWriter out = new FrameWriter(buffers);
        final Session session;
        final List<String> told = new ArrayList<>();
        Deque<String> refusals = new ArrayDeque<>();
        boolean answersAtOnce = true;
        boolean takes = true;
        boolean waits;
        boolean closed;
        boolean ended;
        int cancels;
        long alarm = Long.MAX_VALUE;

        /** Bytes that it may hold, and holds. */
        long room = 1_000_000;

        long held;

        @Nullable
        Server server;

        Client(Rules rules, Map<String, String> settings) {
            clients++;
            Map<String, String> startup = new HashMap<>();
            settings.forEach((name, value) -> startup.put(name, SettingsText.command(name, value)));
            session = new Session(
                    new Session.Client(clients, SECRET, "test", name -> name),
                    rules,
                    startup,
                    in,
                    out,
                    buffers,
                    catalog,
                    texts,
                    schemas,
                    this);
        }

        Client welcomed() {
            session.welcome(Map.of(), reported -> {});
            assertThat(told()).last().isEqualTo(GREETING);
            return this;
        }

        FakeBackend backend() {
            return Objects.requireNonNull(server).backend;
        }

        Client says(byte[]... messages) {
            byte[] bytes = Messages.joined(messages);
            in.feed(bytes, 0, bytes.length);
            session.fromClient();
            in.keep();
            relay();
            return this;
        }

        void hears(Server from, byte[] bytes) {
            from.link.in.feed(bytes, 0, bytes.length);
            session.fromServer();
            from.link.in.keep();
        }

        void goes() {
            session.clientGone();
            relay();
        }

        /** Moves whatever there is to move, until nothing is. */
        void relay() {
            try {
                for (boolean moved = true; moved; ) {
                    moved = relayOnce();
                }
            } catch (ProtocolException e) {
                throw new AssertionError(e);
            }
        }

        private boolean relayOnce() throws ProtocolException {
            boolean moved = false;
            if (takes && out.size() > 0) {
                told.addAll(Messages.read(out.bytes())); // sent at once: the session is not told of that
                moved = true;
            }
            if (session.canGoOn()) {
                session.drained();
                moved = true;
            }
            Server held = server;
            if (held == null || held.mute) {
                return moved;
            }
            if (held.link.out.size() > 0) {
                byte[] bytes = held.link.out.bytes();
                held.backend.receive(bytes, 0, bytes.length);
                moved = true;
            }
            if (held.backend.out.size() > 0 && session.wantsServer()) {
                hears(held, held.backend.out.bytes());
                moved = true;
            }
            return moved;
        }

        /** What it was told since it was asked last. */
        List<String> told() {
            relay();
            List<String> all = List.copyOf(told);
            told.clear();
            return all;
        }

        /** A lease comes. */
        void granted() {
            waits = false;
            Server next = free.isEmpty() ? new Server() : free.remove();
            opened++;
            server = next;
            session.leased(next.link);
            relay();
        }

        void cancelArrives() throws ProtocolException {
            backend().cancel();
            session.cancelled();
            relay();
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void lease(String holder) {
            waits = true;
            String refusal = refusals.poll();
            if (refusal != null) {
                waits = false;
                session.refused(refusal, "no", "");
            } else if (answersAtOnce) {
                waits = false;
                Server next = free.isEmpty() ? new Server() : free.remove();
                opened++;
                server = next;
                session.leased(next.link);
            }
        }

        @Override
        public void giveUp() {
            assertThat(waits).isTrue();
            waits = false;
        }

        @Override
        public void release(Link link, boolean fit) {
            Server held = Objects.requireNonNull(server);
            assertThat(held.link).isSameAs(link);
            server = null;
            if (fit) {
                assertThat(held.backend.status()).isEqualTo('I');
                assertThat(link.out.size()).isZero();
                free.add(held);
            } else {
                givenUp++;
            }
        }

        @Override
        public void cancel(Link link) {
            cancels++;
        }

        @Override
        public void wakeAt(long nanos) {
            alarm = nanos;
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public boolean hold(long bytes) {
            if (held + bytes > room) {
                return false;
            }
            held += bytes;
            return true;
        }

        @Override
        public void holdAgain(long bytes) {
            held += bytes;
        }

        @Override
        public void letGo(long bytes) {
            held -= bytes;
            assertThat(held).isNotNegative();
        }

        @Override
        public boolean isFull() {
            return full;
        }

        @Override
        public void ended() {
            assertThat(ended).isFalse();
            ended = true;
        }
    }

    /** Time passes, and alarms with it. */
    private void pass(Duration duration, Client... all) {
        long until = now + duration.toNanos();
        for (Client next = soonest(all); next.alarm <= until; next = soonest(all)) {
            now = Math.max(now, next.alarm);
            next.alarm = Long.MAX_VALUE;
            next.session.alarm();
            next.relay();
        }
        now = until;
    }

    private static Client soonest(Client... all) {
        Client soonest = all[0];
        for (Client each : all) {
            soonest = each.alarm < soonest.alarm ? each : soonest;
        }
        return soonest;
    }

    private static Rules rules(boolean session, boolean statement, boolean refuses) {
        return rules(session, statement, refuses, Rules.STATEMENTS);
    }

    private static Rules rules(boolean session, boolean statement, boolean refuses, int statements) {
        return new Rules(
                session,
                statement,
                refuses,
                true,
                false,
                false,
                IDLE,
                SILENT,
                SERVER,
                Rules.ROOM,
                Rules.OWED,
                statements);
    }

    private Client client() {
        return client(Map.of());
    }

    private Client client(Map<String, String> settings) {
        return new Client(rules(false, false, false), settings).welcomed();
    }

    private Client inSessionMode() {
        return new Client(rules(true, false, false), Map.of()).welcomed();
    }

    private static boolean isError(String message, String sqlState) {
        return message.startsWith("E:") && message.contains(".C" + sqlState + ".");
    }

    private static void assertEndedWith(Client client, String sqlState) {
        assertThat(client.told()).last().matches(last -> isError(last, sqlState), sqlState);
        assertThat(client.closed).isTrue();
        assertThat(client.ended).isTrue();
        assertThat(client.server).isNull();
    }

    // ---- the greeting

    @Test
    void whatIsKnownOfAServerIsToldWithoutAConnection() {
        Client client = new Client(rules(false, false, false), Map.of());
        client.session.welcome(Map.of("server_version", "18"), reported -> {});
        assertThat(client.told())
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo("S:server_version.18."),
                        key -> assertThat(key).startsWith("K:"),
                        ready -> assertThat(ready).isEqualTo("Z:I"));
        assertThat(opened).isZero();
    }

    @Test
    void whatIsNotKnownIsAskedForWithTheClientsSettings() {
        Client client = new Client(rules(false, false, false), Map.of("datestyle", "German"));
        Map<String, String> learned = new HashMap<>();
        client.session.welcome(null, learned::putAll);
        assertThat(client.told()).contains("S:DateStyle.German.").last().isEqualTo("Z:I");
        assertThat(learned).containsEntry("DateStyle", "German").containsEntry("server_version", "fake");
        assertThat(free).hasSize(1);
    }

    @Test
    void aLoginForWhichThereIsNoConnectionEnds() {
        Client client = new Client(rules(false, false, false), Map.of());
        client.refusals.add("53300");
        client.session.welcome(null, reported -> {});
        assertEndedWith(client, "53300");
    }

    @Test
    void aLoginWhoseSettingsTheServerRefusesEndsAndKeepsTheConnection() {
        Client client = new Client(rules(false, false, false), Map.of("work_mem", "refused"));
        client.session.welcome(null, reported -> {});
        assertEndedWith(client, "22023");
        assertThat(free).hasSize(1);
    }

    @Test
    void aLoginWhoseServerIsLostIsTriedWithAnother() {
        Client client = new Client(rules(false, false, false), Map.of("work_mem", "1"));
        halfOpen = true;
        client.session.welcome(null, reported -> {});
        halfOpen = false;
        client.session.serverGone("it was killed");
        assertThat(client.told()).last().isEqualTo(GREETING);
        assertThat(givenUp).isEqualTo(1);
    }

    // ---- servers that do not answer

    @Test
    void aConnectionOnWhichTheSettingsAreNotAnsweredIsReplacedUnnoticed() {
        Client client = client(Map.of("work_mem", "1"));
        halfOpen = true;
        client.says(Messages.query("hello"));
        halfOpen = false;
        pass(SERVER.minusMillis(1), client);
        assertThat(givenUp).isZero();
        pass(Duration.ofMillis(1), client);
        assertThat(givenUp).isEqualTo(1);
        assertThat(client.told()).containsExactly("T:hello.", "D:hello.", "C:SELECT 1.", "Z:I");
        assertThat(free).hasSize(1);
    }

    @Test
    void aDomainWhoseConnectionsNeverAnswerIsLostToTheClient() {
        Client client = client(Map.of("work_mem", "1"));
        halfOpen = true;
        client.says(Messages.query("hello"));
        pass(SERVER.multipliedBy(3), client);
        assertThat(client.told()).isEmpty();
        assertThat(givenUp).isEqualTo(3);
        pass(SERVER, client);
        assertThat(givenUp).as("replaced three times").isEqualTo(4);
        assertEndedWith(client, "08006");
    }

    @Test
    void aConnectionThatIsLostWithinARequestEndsTheSession() {
        Client client = client().says(Messages.query("sleep"));
        client.session.serverGone("it was killed");
        assertEndedWith(client, "08006");
        assertThat(givenUp).isEqualTo(1);
    }

    @Test
    void nonsenseOfAServersCostsItsConnectionAtOnce() {
        Client client = client().says(Messages.query("sleep"));
        client.backend().out.message('2');
        client.relay();
        assertEndedWith(client, "08P01");
        assertThat(givenUp).isEqualTo(1);
    }

    @Test
    void aReadyForQueryWithoutAStatusCostsItsConnectionAtOnce() {
        Client client = client().says(Messages.query("sleep"));
        client.backend().out.message('Z');
        client.relay();
        assertEndedWith(client, "08P01");
        assertThat(givenUp).isEqualTo(1);
    }

    // ---- clients that do nothing

    @Test
    void anIdleClientIsToldThatItWasIdle() {
        Client client = client();
        pass(IDLE.minusMillis(1), client);
        assertThat(client.told()).isEmpty();
        pass(Duration.ofMillis(1), client);
        assertEndedWith(client, "57P05");
    }

    @Test
    void aClientThatIsSilentWithinATransactionIsEndedAndItsConnectionReused() {
        Client client = client().says(Messages.query("begin"));
        pass(SILENT, client);
        assertEndedWith(client, "25P03");
        assertThat(free).hasSize(1);
    }

    /** What pins it would be lost with the connection. */
    @Test
    void aPinnedClientMayBeIdleOutsideOfATransaction() {
        Client client = client().says(Messages.query("prepare a as select 1"));
        client.told();
        pass(SILENT.multipliedBy(2), client);
        assertThat(client.ended).isFalse();
        pass(IDLE, client);
        assertEndedWith(client, "57P05");
        Client within = client().says(Messages.query("prepare a as select 1"), Messages.query("begin"));
        pass(SILENT, within);
        assertEndedWith(within, "25P03");
    }

    @Test
    void aClientThatIsSilentWithinACopyOrAMessageIsEnded() {
        Client copies = client().says(Messages.query("copy in"));
        byte[] data = Messages.of('d', "half of it");
        Client passes = client().says(Messages.query("copy in"), java.util.Arrays.copyOf(data, 9));
        byte[] bind = Messages.of('S', "with a body");
        Client syncs = client().says(Messages.parse("", "one"), java.util.Arrays.copyOf(bind, 7));
        pass(SILENT, copies, passes, syncs);
        for (Client half : List.of(passes, syncs)) { // nobody knows what the server makes of it
            assertThat(half.cancels).isEqualTo(1);
            half.session.cancelled();
        }
        pass(Duration.ofSeconds(2), copies, passes, syncs);
        assertEndedWith(copies, "25P03");
        assertEndedWith(passes, "25P03");
        assertEndedWith(syncs, "25P03");
        assertThat(givenUp).as("those that have half a message").isEqualTo(2);
        assertThat(free).hasSize(1);
    }

    @Test
    void aStatementMayRunForAsLongAsItTakes() throws ProtocolException {
        Client client = client().says(Messages.query("sleep"));
        pass(Duration.ofHours(5), client);
        client.backend().wake();
        assertThat(client.told()).containsExactly("C:SLEPT.", "Z:I");
    }

    @Test
    void aClientThatTakesNothingIsEnded() {
        Client client = client();
        client.takes = false;
        client.says(Messages.query("wide 30"));
        assertThat(client.out.size()).isBetween(64 * 1024, 80 * 1024);
        assertThat(client.session.wantsServer()).isFalse();
        assertThat(client.backend().out.size()).isZero();
        client.backend().out.message('D', "more");
        pass(SILENT.plusSeconds(5), client);
        assertThat(client.closed).isTrue();
        assertThat(client.ended).isTrue();
        assertThat(client.server).isNull();
    }

    @Test
    void aClientThatReadsLateDoesNotKeepItsConnectionForWhatIsAnswered() {
        Client late = client();
        late.takes = false;
        late.says(Messages.query("wide 5"));
        assertThat(late.out.size()).as("the whole answer waits for it").isGreaterThan(5 * 8 * 1024);
        assertThat(late.server).isNull();
        Client other = client();
        other.says(Messages.query("one"));
        assertThat(other.told()).last().isEqualTo("Z:I");
        assertThat(opened).isEqualTo(2);
        assertThat(free).as("both were served by one connection").hasSize(1);
    }

    // ---- clients that go

    @Test
    void aStatementOfAClientThatHasGoneIsCancelledAfterTheGraceAndItsConnectionGivenUpAfterThat()
            throws ProtocolException {
        Client client = client().says(Messages.query("sleep"));
        client.goes();
        pass(Duration.ofMillis(499), client);
        assertThat(client.cancels).isZero();
        pass(Duration.ofMillis(1), client);
        assertThat(client.cancels).isEqualTo(1);
        pass(Duration.ofSeconds(30), client);
        assertThat(client.server).as("the cancel is on its way").isNotNull();
        client.session.cancelled();
        pass(Duration.ofMillis(1_999), client);
        assertThat(client.ended).isFalse();
        pass(Duration.ofMillis(1), client);
        assertThat(client.ended).isTrue();
        assertThat(givenUp).isEqualTo(1);
    }

    @Test
    void aConnectionWhoseStatementWasCancelledIsReused() throws ProtocolException {
        Client client = client().says(Messages.query("begin"), Messages.query("sleep"));
        client.goes();
        pass(Duration.ofMillis(500), client);
        client.cancelArrives();
        assertThat(client.ended).isTrue();
        assertThat(free).hasSize(1);
        assertThat(givenUp).isZero();
    }

    @Test
    void aClientThatGoesWithinACopyLeavesItsConnectionUsable() {
        Client client = client().says(Messages.query("copy in"), Messages.of('d', "1"));
        client.goes();
        Client extended =
                client().says(Messages.parse("", "copy in"), Messages.bind(""), Messages.execute(), Messages.flush());
        extended.goes();
        assertThat(client.ended).isTrue();
        assertThat(extended.ended).isTrue();
        assertThat(givenUp).isZero();
        assertThat(free).isNotEmpty().noneMatch(server -> server.backend.isCopying());
    }

    /** Its Sync has come to the server before it reads the data, so that it is not ignored. */
    @Test
    void aCopyThatFailsBeforeItReadsIsFollowedByItsOwnReadyForQueryAndByTheNextRound() {
        Client client = client().says(Messages.extended("copy in fails first"));
        assertThat(String.join(" ", client.told())).matches("1.* 2.* G.* E.*P0001.* Z.*");
        client.says(Messages.extended("one"));
        assertThat(String.join(" ", client.told())).matches("1.* 2.* D.* C.* Z.*");
        assertThat(client.closed).isFalse();
        assertThat(givenUp).isZero();
    }

    /** Of two ReadyForQuery one may be too many. It must not end the reset, or the next client would get the reset's answer. */
    @Test
    void whatAFailedCopyMayStillBringIsNotTakenForTheEndOfTheReset() throws ProtocolException {
        halfOpen = true;
        Client client = client().says(Messages.extended("copy in"));
        Server server = Objects.requireNonNull(client.server);
        FrameWriter answers = new FrameWriter(buffers);
        answers.message('1').message('2').message('G', (byte) 0, (byte) 0, (byte) 0);
        client.hears(server, answers.bytes());
        client.goes();
        Fields.error(answers, "ERROR", "P0001", "not today", "");
        client.hears(server, answers.bytes());
        answers.message('Z', (byte) 'I'); // the client's Sync, which was not ignored; or Headgate's
        client.hears(server, answers.bytes());
        assertThat(Messages.read(server.link.out.bytes())).last().asString().startsWith("Q:CLOSE ALL");
        answers.message('Z', (byte) 'I');
        client.hears(server, answers.bytes());
        assertThat(client.ended).as("its connection is not clean yet").isFalse();
        answers.message('C', "RESET").message('Z', (byte) 'I');
        client.hears(server, answers.bytes());
        assertThat(client.ended).isTrue();
        assertThat(free).hasSize(1);
        assertThat(server.link.pipeline.mayOweMore()).isFalse();
    }

    @Test
    void aClientThatGoesWithinATransactionLeavesItsConnectionUsable() {
        Client client = client().says(Messages.query("begin"), Messages.query("set datestyle = 'x'"));
        client.goes();
        assertThat(client.ended).isTrue();
        assertThat(free).hasSize(1);
        Client next = client(Map.of("datestyle", "x")).says(Messages.query("show datestyle"));
        assertThat(next.told()).as("what was rolled back").contains("D:x.");
    }

    @Test
    void whatAClientLeftWithItsLastMessageIsDoneIfItEndsInTime() throws ProtocolException {
        Client client = client().says(Messages.query("sleep"), Messages.terminate());
        FakeBackend backend = client.backend();
        pass(Duration.ofMillis(400), client);
        backend.wake();
        client.relay();
        pass(Duration.ofSeconds(5), client);
        assertThat(client.cancels).isZero();
        assertThat(client.ended).isTrue();
        assertThat(backend.ran()).isEqualTo(1);
        assertThat(free).hasSize(1);
    }

    @Test
    void aClientThatGoesWhileItWaitsWaitsNoMore() {
        Client client = client();
        client.answersAtOnce = false;
        client.says(Messages.query("hello"));
        assertThat(client.session.status().state()).isEqualTo("waiting");
        client.goes();
        assertThat(client.waits).isFalse();
        assertThat(client.ended).isTrue();
    }

    // ---- cancels

    /** A driver that has cancelled goes on at once: asyncpg does after a COPY whose source fails. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNextRequestWaitsUntilTheCancelOfTheOneBeforeHasArrived(boolean keeps) throws ProtocolException {
        Client client = new Client(rules(keeps, false, false), Map.of()).welcomed();
        client.says(Messages.query("sleep"));
        client.session.cancel(SECRET);
        client.backend().cancel();
        client.relay();
        assertThat(client.told())
                .matches(all -> isError(all.get(0), "57014"))
                .last()
                .isEqualTo("Z:I");
        client.says(Messages.query("hello"));
        assertThat(client.told()).as("the cancel may still be on its way").isEmpty();
        client.session.cancelled();
        client.relay();
        assertThat(client.told()).last().isEqualTo("Z:I");
    }

    @Test
    void aCancelWithAnotherSecretOrOfNothingDoesNothing() throws ProtocolException {
        Client client = client();
        client.session.cancel(SECRET);
        client.says(Messages.query("sleep"));
        client.session.cancel(SECRET + 1);
        assertThat(client.cancels).isZero();
        client.session.cancel(SECRET);
        assertThat(client.cancels).isEqualTo(1);
        client.cancelArrives();
        assertThat(client.told())
                .matches(all -> isError(all.get(0), "57014"))
                .last()
                .isEqualTo("Z:I");
    }

    @Test
    void aConnectionIsNotReleasedWhileACancelIsOnItsWay() throws ProtocolException {
        Client client = client().says(Messages.query("sleep"));
        client.session.cancel(SECRET);
        client.backend().wake();
        assertThat(client.told()).containsExactly("C:SLEPT.", "Z:I");
        assertThat(client.server).isNotNull();
        client.session.cancelled();
        assertThat(client.server).isNull();
        assertThat(free).hasSize(1);
    }

    // ---- kill, stop, dismiss, leaseNoMore

    @Test
    void whoIsKilledEndsWhateverItDoes() throws ProtocolException {
        Client idle = client();
        idle.session.kill();
        assertThat(idle.ended).isTrue();

        Client waiting = client();
        waiting.answersAtOnce = false;
        waiting.says(Messages.query("hello")).session.kill();
        assertThat(waiting.ended).isTrue();
        assertThat(waiting.waits).isFalse();

        Client transaction = client().says(Messages.query("begin"));
        transaction.session.kill();
        transaction.relay();
        assertThat(transaction.ended).isTrue();

        Client running = client().says(Messages.query("sleep"));
        running.session.kill();
        pass(Duration.ZERO, running);
        assertThat(running.cancels).isEqualTo(1);
        running.cancelArrives();
        assertThat(running.ended).isTrue();

        Client keeping = inSessionMode().says(Messages.query("hello"));
        keeping.session.kill();
        keeping.relay();
        assertThat(keeping.ended).isTrue();
        assertThat(givenUp).isZero();
        assertThat(List.of(idle, waiting, transaction, running, keeping)).allMatch(client -> client.closed);
    }

    @Test
    void aStopEndsIdleClientsAtOnceAndOthersAfterTheirTransaction() throws ProtocolException {
        Client idle = client();
        idle.session.stop();
        assertEndedWith(idle, "57P01");

        Client transaction = client().says(Messages.query("begin"));
        transaction.session.stop();
        transaction.says(Messages.query("hello"));
        assertThat(transaction.ended).isFalse();
        transaction.says(Messages.query("commit"));
        assertEndedWith(transaction, "57P01");

        Client busy = client().says(Messages.query("sleep"), Messages.query("and more"));
        busy.session.stop();
        FakeBackend backend = busy.backend();
        backend.wake();
        busy.relay();
        assertEndedWith(busy, "57P01");

        Client waiting = client();
        waiting.answersAtOnce = false;
        waiting.says(Messages.query("hello")).session.stop();
        waiting.granted();
        assertThat(waiting.told()).contains("D:hello.").last().matches(last -> isError(last, "57P01"));
        assertThat(givenUp).isZero();
    }

    @Test
    void aStopEndsClientsThatKeepTheirConnectionOnceTheyRest() {
        Client keeping = inSessionMode().says(Messages.query("hello"));
        keeping.told();
        keeping.session.stop();
        keeping.relay();
        assertEndedWith(keeping, "57P01");
        Client pinned = client().says(Messages.query("listen"));
        pinned.session.stop();
        pinned.relay();
        assertEndedWith(pinned, "57P01");
        assertThat(free).hasSize(1);
    }

    @Test
    void aClientThatIsDismissedIsToldWhyWhateverItDoes() {
        Client idle = client();
        idle.session.dismiss("deleted");
        assertEndedWith(idle, "57P01");
        Client waiting = client();
        waiting.answersAtOnce = false;
        waiting.says(Messages.query("hello")).session.dismiss("deleted");
        assertEndedWith(waiting, "57P01");
        assertThat(waiting.waits).isFalse();
        Client transaction = client().says(Messages.query("begin"));
        transaction.told();
        transaction.session.dismiss("deleted");
        transaction.relay();
        assertEndedWith(transaction, "57P01");
        assertThat(free).hasSize(1);
    }

    @Test
    void whoMayLeaseNoMoreGetsNothingDone() {
        Client idle = client();
        idle.session.leaseNoMore("deleted");
        idle.says(Messages.query("hello"));
        assertEndedWith(idle, "57P01");
        assertThat(opened).isZero();

        Client waiting = client();
        waiting.answersAtOnce = false;
        waiting.says(Messages.query("hello")).session.leaseNoMore("deleted");
        waiting.granted();
        assertThat(waiting.ended).isTrue();
        assertThat(free).hasSize(1).allMatch(server -> server.backend.executed() == 0);
    }

    // ---- leases that are refused

    @Test
    void aRefusedQueryFailsAndTheNextOneIsTried() {
        Client client = client();
        client.refusals.add("53300");
        client.says(Messages.query("one"), Messages.query("two"));
        List<String> told = client.told();
        assertThat(told.get(0)).matches(first -> isError(first, "53300"));
        assertThat(told.subList(1, told.size())).containsExactly("Z:I", "T:two.", "D:two.", "C:SELECT 1.", "Z:I");
    }

    @Test
    void aRefusedRequestIsSkippedUpToItsSync() {
        Client client = client();
        client.refusals.add("53300");
        client.says(Messages.extended("one"), Messages.extended("two"));
        List<String> told = client.told();
        assertThat(told.get(0)).matches(first -> isError(first, "53300"));
        assertThat(told.subList(1, told.size())).containsExactly("Z:I", "1:", "2:", "D:two.", "C:SELECT 1.", "Z:I");
    }

    @Test
    void aRefusalThatComesLaterIsTheSame() {
        Client client = client();
        client.answersAtOnce = false;
        client.says(Messages.extended("one"));
        client.waits = false;
        client.session.refused("53300", "no", "");
        assertThat(client.told()).hasSize(2).last().isEqualTo("Z:I");
        client.answersAtOnce = true;
        assertThat(client.says(Messages.extended("two")).told()).contains("D:two.");
    }

    // ---- modes and pins

    @Test
    void whoListensKeepsItsConnection() {
        Client client = client().says(Messages.query("listen"));
        assertThat(client.told()).containsExactly("C:LISTEN.", "Z:I");
        assertThat(client.session.status().pinnedBy()).isEqualTo("LISTEN");
        client.backend().tell("hello");
        assertThat(client.told()).containsExactly("A:...\1channel.hello.");
        pass(SILENT.multipliedBy(2), client);
        assertThat(client.ended).as("it may wait for as long as any").isFalse();
        client.goes();
        assertThat(free).hasSize(1).noneMatch(server -> server.backend.isListening());
        assertThat(client.session.status().pinnedBy()).isEmpty();
    }

    @Test
    void aNotificationThatComesDuringHeadgatesOwnCommandsIsTheClients() throws ProtocolException {
        Client client = client(Map.of("work_mem", "1")).says(Messages.query("listen"));
        client.told();
        Server server = Objects.requireNonNull(client.server);
        server.mute = true;
        client.says(Messages.query("reset all"));
        byte[] query = server.link.out.bytes();
        server.backend.receive(query, 0, query.length);
        client.hears(server, server.backend.out.bytes());
        assertThat(server.link.out.size()).as("its settings are put in place").isPositive();
        server.backend.tell("hello");
        server.mute = false;
        assertThat(client.told()).containsExactly("C:RESET.", "Z:I", "A:...\1channel.hello.");
        assertThat(client.says(Messages.query("show work_mem")).told()).contains("D:1.");
    }

    // ---- what one client leaves to the others

    @Test
    void settingsOfOneTransactionAreCarriedNowhere() {
        Client one = client().says(Messages.query("set transaction_read_only = 'on'"));
        assertThat(one.told()).contains("Z:I");
        assertThat(one.says(Messages.query("hello")).told()).contains("C:SELECT 1.");
        Client other = client().says(Messages.query("hello"));
        assertThat(other.told()).contains("C:SELECT 1.");
        assertThat(free.getFirst().link.settings).doesNotContainKey("transaction_read_only");
    }

    @Test
    void aClientDoesNotPayForWhatAnotherLeft() {
        client().says(Messages.query("set fixed = '1'")).told();
        assertThat(client().says(Messages.query("hello")).told()).contains("C:SELECT 1.");
    }

    /** Its connection is being reset, because another's setting could not be taken back, and the reset fails after it has gone. */
    @Test
    void aClientThatHasGoneAsksForNoOtherConnection() throws ProtocolException {
        client().says(Messages.query("set fixed = '1'")).told();
        Client client = client();
        Server server = free.element();
        server.mute = true;
        client.says(Messages.query("hello"));
        byte[] takeBack = server.link.out.bytes();
        server.backend.receive(takeBack, 0, takeBack.length);
        client.hears(server, server.backend.out.bytes());
        assertThat(server.link.out.size()).as("it is reset").isPositive();
        int before = opened;

        client.goes();
        client.hears(server, Messages.joined(Messages.of('E', "SERROR\0C58000\0Mno\0\0"), Messages.of('Z', "I")));
        assertThat(client.ended).isTrue();
        assertThat(givenUp).isEqualTo(1);
        assertThat(opened).isEqualTo(before);
    }

    @Test
    void aSettingThatCountsAlthoughItsRoundFailsLaterIsNobodyElses() {
        Client one = client().says(Messages.query("begin; set work_mem = '9'; commit; fail"));
        one.told();
        assertThat(client().says(Messages.query("show work_mem")).told()).contains("D:default.");
    }

    @Test
    void aSettingOfAPipelineThatFailsAfterItsCommitIsKept() {
        Client one = client().says(
                        Messages.parse("", "begin"),
                        Messages.bind(""),
                        Messages.execute(),
                        Messages.parse("", "set work_mem = '9'"),
                        Messages.bind(""),
                        Messages.execute(),
                        Messages.parse("", "commit"),
                        Messages.bind(""),
                        Messages.execute(),
                        Messages.parse("", "fail"),
                        Messages.bind(""),
                        Messages.execute(),
                        Messages.sync());
        one.told();
        assertThat(client().says(Messages.query("show work_mem")).told()).contains("D:default.");
        assertThat(one.says(Messages.query("show work_mem")).told()).contains("D:9.");
    }

    /** What a client sends in rounds, what the server then has, and on the next connection. */
    static Stream<Arguments> undone() {
        return Stream.of(
                Arguments.of(
                        "default", List.of("begin", "savepoint s", "set work_mem = '9'", "rollback to s", "commit")),
                Arguments.of(
                        "8",
                        List.of(
                                "begin",
                                "set work_mem = '8'",
                                "savepoint s",
                                "set work_mem = '9'",
                                "rollback to s",
                                "commit")),
                Arguments.of(
                        "9",
                        List.of(
                                "begin",
                                "savepoint s",
                                "set work_mem = '8'",
                                "rollback to s",
                                "set work_mem = '9'",
                                "release s",
                                "commit")),
                Arguments.of(
                        "8",
                        List.of(
                                "begin",
                                "savepoint s",
                                "set work_mem = '8'",
                                "savepoint t",
                                "fail",
                                "rollback to t",
                                "release s",
                                "commit")),
                Arguments.of("default", List.of("begin; set work_mem = '9'; rollback; hello")),
                Arguments.of("9", List.of("begin; set work_mem = '9'; commit; begin; rollback")),
                Arguments.of(
                        "8",
                        List.of("set work_mem = '8'", "begin; savepoint s; reset work_mem; rollback to s; commit")),
                Arguments.of("default", List.of("begin", "set work_mem = '9'", "rollback and chain", "commit")),
                Arguments.of("9", List.of("begin", "set work_mem = '9'", "commit and chain", "rollback")),
                Arguments.of("default", List.of("begin", "set work_mem = '9'", "fail", "commit")));
    }

    @ParameterizedTest
    @MethodSource("undone")
    void whatATransactionHasUndoneIsSetNowhere(String value, List<String> rounds) {
        for (Client client : List.of(client(), inSessionMode())) {
            rounds.forEach(sql -> client.says(Messages.query(sql)));
            client.told();
            assertThat(client.says(Messages.query("show work_mem")).told()).contains("D:" + value + ".");
            client.goes();
            free.clear(); // the next one has nothing of it
        }
        Client client = client();
        rounds.forEach(sql -> client.says(Messages.query(sql)));
        client.told();
        free.clear();
        assertThat(client.says(Messages.query("show work_mem")).told()).contains("D:" + value + ".");
    }

    @Test
    void whatATransactionOfOneRoundHasUndoneIsSetNowhere() {
        List<byte[]> messages = new ArrayList<>();
        for (String sql : List.of("begin", "set work_mem = '9'", "rollback", "begin", "hello", "commit")) {
            messages.addAll(List.of(Messages.parse("", sql), Messages.bind(""), Messages.execute()));
        }
        messages.add(Messages.sync());
        Client client = client().says(messages.toArray(byte[][]::new));
        client.told();
        assertThat(client.says(Messages.query("show work_mem")).told()).contains("D:default.");
    }

    @Test
    void aSettingThatIsNotInUtf8StaysWhereItIs() {
        Server server = new Server();
        server.link.reported.put("client_encoding", "LATIN1");
        free.add(server);
        Client client = client().says(Messages.query("set work_mem = '9'"));
        assertThat(client.session.status().pinnedBy()).isEmpty();
        client.says(Messages.query("set search_path = 'm\u00fcnchen'"));
        assertThat(client.session.status().pinnedBy()).isEqualTo("SET in another encoding than UTF-8");
    }

    @Test
    void settingsAreReadInTheClientsOwnEncoding() {
        Link link = new Link(Map.of(), buffers);
        link.adopted(Map.of("client_encoding", "SET NAMES latin1"));
        Map<String, String> wanted = Map.of("search_path", "SET search_path = \"m\u00fcnchen\"");
        assertThat(link.readsOtherwise(wanted)).isTrue();
        assertThat(link.adoption(link.withEncodingOf(wanted))).isEqualTo("RESET client_encoding;");
        link.adopted(link.withEncodingOf(wanted));
        assertThat(link.readsOtherwise(wanted)).isFalse();
        assertThat(link.readsOtherwise(Map.of("client_encoding", "x", "a.b", "SET a.b = 'ascii'")))
                .isFalse();
    }

    /** A setting may need the rights that the session's first user has and the role has not. */
    @Test
    void settingsArePutInPlaceInTheClientsOrder() {
        Map<String, String> wanted = new LinkedHashMap<>();
        wanted.put("log_statement", "SET log_statement = 'none'");
        wanted.put("role", "SET ROLE app");
        wanted.put("work_mem", "SET work_mem = 1");
        Link link = new Link(Map.of(), buffers);
        assertThat(link.adoption(wanted)).isEqualTo("SET log_statement = 'none';SET ROLE app;SET work_mem = 1;");
        link.adopted(wanted);
        assertThat(link.adoption(Map.of("a.b", "SET a.b = 1")))
                .startsWith("RESET role;")
                .contains("RESET log_statement;", "RESET work_mem;")
                .endsWith("SET a.b = 1;");
        Client client = client().says(
                        Messages.query("set log_statement = 'a'"),
                        Messages.query("set role = 'b'"),
                        Messages.query("set log_statement = 'c'"));
        client.told();
        assertThat(client.session.settings.present().keySet()).endsWith("role", "log_statement");
    }

    @Test
    void anEarlierRoundsEndLeavesAPortalItsEffects() {
        Client one = client().says(
                        Messages.extended("hello"), Messages.parse("", "set work_mem = '9'"), Messages.bind(""))
                .says(Messages.execute(), Messages.sync());
        one.told();
        assertThat(client().says(Messages.query("show work_mem")).told()).contains("D:default.");
        assertThat(one.says(Messages.query("show work_mem")).told()).contains("D:9.");
    }

    @Test
    void aRefusedParseTakesNoStatementItsEffects() {
        Client one = client().says(Messages.parse("s", "set work_mem = '9'"), Messages.sync());
        one.says(Messages.parse("s", "hello"), Messages.sync()); // 42P05
        one.says(Messages.bind("s"), Messages.execute(), Messages.sync()).told();
        assertThat(client().says(Messages.query("show work_mem")).told()).contains("D:default.");
        assertThat(one.says(Messages.query("show work_mem")).told()).contains("D:9.");
    }

    @Test
    void aNameThatIsTakenIsTheClientsInTheError() {
        Client client = client().says(Messages.parse("mine", "hello"), Messages.sync());
        client.told();
        client.says(Messages.parse("mine", "other"), Messages.sync());
        assertThat(client.told())
                .anyMatch(
                        each -> each.contains("C42P05") && each.contains("Mprepared statement \"mine\" already exists"))
                .endsWith("Z:I");
    }

    @Test
    void whatAnErrorSkipsIsUndoneFromItsEnd() {
        Client client = client().says(Messages.parse("s", "one"), Messages.sync());
        client.told();
        client.says(Messages.parse("x", "bad"), Messages.of('C', "Ss\0"), Messages.parse("s", "two"), Messages.sync());
        client.told();
        assertThat(client.says(Messages.bind("s"), Messages.execute(), Messages.sync())
                        .told())
                .contains("D:one.");
        client.says(Messages.parse("y", "bad"), Messages.parse("t", "two"), Messages.of('C', "St\0"), Messages.sync());
        client.told();
        assertThat(client.says(Messages.parse("t", "three"), Messages.sync()).told())
                .containsExactly("1:", "Z:I");
    }

    @Test
    void aCancelEndsTheWaitForAConnection() {
        Client client = client();
        client.answersAtOnce = false;
        client.says(Messages.query("hello"));
        assertThat(client.waits).isTrue();
        client.session.cancel(SECRET);
        assertThat(client.waits).isFalse();
        assertThat(client.told()).anyMatch(each -> each.contains("C57014")).endsWith("Z:I");
        client.says(Messages.parse("", "hello"), Messages.bind(""), Messages.execute(), Messages.sync());
        client.session.cancel(SECRET);
        assertThat(client.told()).filteredOn(each -> each.contains("C57014")).hasSize(1);
        client.answersAtOnce = true;
        assertThat(client.says(Messages.query("hello")).told()).contains("C:SELECT 1.");
    }

    @Test
    void aCancelWhileSettingsArePutInPlaceIsOfThatRequestAlone() {
        Client client = client();
        client.says(Messages.query("set work_mem = '9'")).told();
        client().says(Messages.query("set work_mem = '8'")).told();
        Server server = free.getFirst();
        server.mute = true;
        client.says(Messages.query("hello"));
        client.session.cancel(SECRET);
        server.mute = false;
        client.relay();
        assertThat(client.told()).anyMatch(each -> isError(each, "57014"));
        assertThat(client.says(Messages.query("hello")).told()).contains("C:SELECT 1.");
    }

    @Test
    void discardAllUnpins() {
        Client client = client().says(Messages.query("listen"));
        client.told();
        assertThat(client.session.status().pinnedBy()).isNotEmpty();
        assertThat(client.says(Messages.query("discard all")).told()).contains("C:DISCARD ALL.", "Z:I");
        assertThat(client.session.status().pinnedBy()).isEmpty();
        assertThat(client.session.link()).isNull();
    }

    @Test
    void statementsThatBindFailWhereTheDomainSaysSo() {
        Client client = new Client(rules(false, false, true), Map.of()).welcomed();
        client.says(Messages.query("listen"));
        assertThat(free).hasSize(1).noneMatch(server -> server.backend.isListening());
    }

    @Test
    void aClientThatPreparesMoreThanThereIsRoomForIsToldAndGone() {
        Client client = client();
        int prepared = 0;
        while (!client.ended && prepared < 1_000) {
            client.says(Messages.parse("s" + prepared, "hello" + " ".repeat(10_000 + prepared++)), Messages.sync());
        }
        assertThat(prepared).isBetween(90, 100);
        assertEndedWith(client, "53200");
        assertThat(shared).isZero();
        assertThat(free).as("its connection serves others").hasSize(1);
    }

    /** Also where the statements are short, so that there would be room for many. */
    @Test
    void aClientKeepsSoManyStatementsAsItMay() {
        Client client = new Client(rules(false, false, false, 3), Map.of()).welcomed();
        for (String name : List.of("a", "b", "c")) {
            client.says(Messages.parse(name, "hello"), Messages.sync());
        }
        client.says(Messages.parse("", "hello"), Messages.sync());
        assertThat(client.session.status().statements())
                .as("the unnamed one is no more")
                .isEqualTo(3);
        client.says(Messages.of('C', "Sb\0"), Messages.parse("d", "hello"), Messages.sync());
        client.says(Messages.of('C', "Sd\0"), Messages.sync());
        assertThat(client.session.status().statements()).isEqualTo(2);
        client.says(Messages.parse("e", "bad"), Messages.sync());
        assertThat(client.session.status().statements())
                .as("one that the server refuses")
                .isEqualTo(2);
        client.says(Messages.parse("d", "hello"), Messages.sync());
        client.told();
        client.says(Messages.parse("e", "hello"), Messages.sync());
        assertThat(client.ended).isTrue();
        assertThat(client.told()).anyMatch(each -> isError(each, "53200") && each.contains("headgate.wire.statements"));
        assertThat(shared).isZero();
    }

    /** However it sets them: as a statement, bound, or many small ones. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientThatSetsMoreThanThereIsRoomForIsToldAndGone(boolean keeps) {
        Client client = new Client(rules(keeps, false, false), Map.of()).welcomed();
        int set = 0;
        while (!client.ended && set < 1_000) {
            client.says(Messages.query("SET a.b" + set++ + " = '" + "x".repeat(10_000) + "'"));
        }
        assertThat(set).isBetween(40, 110);
        assertEndedWith(client, "53200");

        Client one = new Client(rules(keeps, false, false), Map.of()).welcomed();
        one.says(Messages.query("SET a.b = '" + "x".repeat(100_000) + "'"));
        assertThat(one.held).isBetween(100_000L, 210_000L);
        one.says(Messages.query("SET a.b = 'x'"));
        assertThat(one.held).isZero();
        one.says(Messages.query("begin"), Messages.query("SET a.b = '" + "x".repeat(100_000) + "'"));
        assertThat(one.held).isBetween(100_000L, 210_000L);
        one.says(Messages.query("rollback"));
        assertThat(one.held).isZero();
        one.goes();
    }

    /** In session mode the port remembers what each of its statements sets. */
    @Test
    void statementsThatSetAreCountedWhereTheConnectionIsKept() {
        Client client = new Client(rules(true, false, false), Map.of()).welcomed();
        int prepared = 0;
        while (!client.ended && prepared < 1_000) {
            client.says(
                    Messages.parse("s" + prepared, "SET a.b" + prepared++ + " = '" + "x".repeat(10_000) + "'"),
                    Messages.sync());
        }
        assertThat(prepared).isBetween(40, 110);
        assertEndedWith(client, "53200");
    }

    /** What would undo its Parse refers to it. */
    @ParameterizedTest
    @CsvSource({"'', 100000", "'', 10000", "s, 100000", "s, 10000"})
    void aTextThatIsDroppedCountsUntilItsParseIsAnswered(String name, int length) throws ProtocolException {
        Client client = client().says(Messages.query("sleep"));
        for (int i = 0; i < 5; i++) {
            prepareAndDrop(client, name, length + i);
        }
        assertThat(client.held).isBetween(4L * length, 5L * length + 5_000);
        client.says(Messages.sync());
        client.backend().wake();
        client.relay();
        assertThat(client.told()).endsWith("Z:I");
        assertThat(client.held).isLessThan(length + 1_000);

        client.says(Messages.query("sleep"));
        for (int i = 0; i < 1_000 && !client.closed; i++) {
            prepareAndDrop(client, name, length + i);
        }
        client.cancelArrives();
        assertEndedWith(client, "53200");
    }

    private static void prepareAndDrop(Client client, String name, int length) {
        client.says(Messages.parse(name, "hello" + " ".repeat(length)));
        if (!name.isEmpty()) {
            client.says(Messages.of('C', "S" + name + "\0"));
        }
    }

    @Test
    void namesAreCountedForEachClient() {
        Client client = client();
        client.room = 100_000;
        int prepared = 0;
        while (!client.ended && prepared < 10_000) {
            client.says(Messages.parse("s" + prepared++, "hello"), Messages.sync());
        }
        assertThat(prepared).isBetween(800, 1_000);
        assertEndedWith(client, "53200");
        assertThat(shared).isZero();
    }

    @Test
    void aLongTextIsCountedForEachClient() {
        Client client = client();
        client.says(Messages.parse("s", "hello" + " ".repeat(100_000)), Messages.sync());
        assertThat(client.held).isBetween(100_000L, 101_000L);
        assertThat(shared).isZero();
        client.says(Messages.of('C', "Ss\0"), Messages.sync());
        assertThat(client.held).isZero();
        client.says(Messages.parse("s", "hello" + " ".repeat(2_000_000)));
        assertEndedWith(client, "53200");
    }

    @Test
    void aTextIsCountedOnceWhileAnyClientHoldsIt() {
        Client first = client();
        Client second = client();
        String text = "hello" + " ".repeat(10_000);
        first.says(Messages.parse("s", text), Messages.parse("t", text), Messages.sync());
        second.says(Messages.parse("u", text), Messages.sync());
        assertThat(shared).isBetween(10_000L, 11_000L);
        assertThat(first.held).isBetween(200L, 400L);
        assertThat(second.held).isBetween(100L, 200L);
        first.says(Messages.terminate());
        assertThat(first.ended).isTrue();
        assertThat(shared).isBetween(10_000L, 11_000L);
        assertThat(second.says(Messages.bind("u"), Messages.execute(), Messages.sync())
                        .told())
                .contains("D:hello _ .");
        second.says(Messages.query("discard all"));
        assertThat(shared).isZero();
        assertThat(second.held).isZero();
    }

    @Test
    void whatAClientDropsItHoldsNoMore() {
        Client client = client();
        long before = client.held;
        for (int i = 0; i < 500; i++) {
            client.says(Messages.parse("s", "hello" + " ".repeat(10_000 + i)), Messages.sync());
            assertThat(client.held - before).isBetween(100L, 200L);
            assertThat(shared).isBetween(10_000L, 11_000L);
            client.says(Messages.of('C', "Ss\0"), Messages.sync());
        }
        client.says(Messages.parse("a", "hello"), Messages.parse("b", "hello"), Messages.sync());
        client.says(Messages.query("discard all"));
        assertThat(client.held).isEqualTo(before);
        assertThat(shared).isZero();
        client.says(Messages.parse("c", "bad"), Messages.sync());
        assertThat(client.held).as("one that failed").isEqualTo(before);
        assertThat(shared).isZero();
        assertThat(client.ended).isFalse();
    }

    /** Ten thousand clients may do the same. */
    @Test
    void aMessageOfSomeKilobytesIsCountedWhenItBegins() {
        Client client = client();
        byte[] message = Messages.parse("", "hello" + " ".repeat(40_000));
        client.says(Arrays.copyOf(message, 20));
        assertThat(client.held).isEqualTo(message.length - 5);
        client.says(Arrays.copyOfRange(message, 20, message.length), Messages.sync());
        assertThat(client.told()).contains("1:", "Z:I");
        assertThat(client.held).as("the unnamed statement").isBetween(40_000L, 40_300L);
    }

    @Test
    void aLongMessageIsCountedWhileItIsGatheredAndReadNoFurtherThanItMustBeHere() {
        Client client = client();
        byte[] message = Messages.parse("", "hello" + " ".repeat(400_000));
        client.says(Arrays.copyOf(message, 100_000));
        assertThat(client.held).isEqualTo(message.length - 5);
        client.says(Arrays.copyOfRange(message, 100_000, message.length), Messages.sync());
        assertThat(client.told()).contains("1:", "Z:I");
        assertThat(client.held).as("the unnamed statement").isBetween(400_000L, 400_300L);
        client.says(Messages.parse("", "hello"), Messages.sync());
        assertThat(client.held).isZero();

        client.says(Arrays.copyOf(Messages.parse("", "hello" + " ".repeat(2_000_000)), 100_000));
        assertEndedWith(client, "53200");
    }

    /** An array as long as the text would need as much free heap in one place. */
    @Test
    void aLongTextLeavesTheReaderAsItArrives() {
        String text = "hello" + "x".repeat(154_000) + "y";
        for (Client client : List.of(client(), inSessionMode())) {
            byte[] message = Messages.parse("s", text);
            int sent = 0;
            for (; sent < 150_000; sent += 9_000) {
                client.says(Arrays.copyOfRange(message, sent, sent + 9_000));
                assertThat(client.in.array()).hasSizeLessThan(9_000);
                assertThat(client.held).isEqualTo(message.length - 5);
            }
            client.says(
                    Arrays.copyOfRange(message, sent, message.length),
                    Messages.bind("s"),
                    Messages.execute(),
                    Messages.sync());
            assertThat(client.told())
                    .anyMatch(told -> told.startsWith("D:" + text))
                    .endsWith("Z:I");
        }
    }

    @Test
    void aLongTextThatArrivesAfterAnErrorIsSkipped() {
        Client client = client();
        byte[] message = Messages.parse("s", "hello" + "x".repeat(150_000));
        client.says(Messages.parse("t", "bad"), Arrays.copyOf(message, 100_000));
        assertThat(client.told()).hasSize(1).allMatch(told -> told.startsWith("E:"));
        client.says(Arrays.copyOfRange(message, 100_000, message.length), Messages.sync());
        assertThat(client.told()).last().isEqualTo("Z:I");
        assertThat(client.held).isZero();
        client.says(Messages.bind("s"), Messages.sync());
        assertThat(client.told()).anyMatch(told -> isError(told, "26000"));
    }

    @Test
    void aLongTextThatIsRefusedIsForgotten() {
        Client client = client();
        client.refusals.add("53300");
        client.says(Messages.parse("s", "hello" + "x".repeat(150_000)), Messages.sync());
        assertThat(client.told()).hasSize(2).last().isEqualTo("Z:I");
        assertThat(client.held).isZero();
        assertThat(client.in.buffered()).isZero();
        String text = "hello" + "z".repeat(100_000);
        client.says(Messages.parse("s", text), Messages.bind("s"), Messages.execute(), Messages.sync());
        assertThat(client.told()).anyMatch(told -> told.startsWith("D:" + text));
    }

    /** There are many more clients than connections. */
    @Test
    void whoWaitsForAConnectionIsNotReadFarAhead() {
        Client client = client();
        client.answersAtOnce = false;
        byte[] bind = Messages.of('B', "\0\0" + "x".repeat(900_000));
        int sent = sendWhileWanted(client, bind);
        assertThat(sent).isBetween(8 * 1024, 20 * 1024);
        assertThat(client.session.held()).isLessThan(40_000);
        client.granted();
        assertThat(client.session.wanted()).as("with a connection").isEqualTo(Rules.ROOM);

        Client idle = client();
        idle.answersAtOnce = false;
        sent = sendWhileWanted(idle, Messages.joined(Messages.query("hello"), new byte[] {'Q', 0, 1, 0, 0}));
        assertThat(sent).as("a message that is not whole").isEqualTo(Messages.query("hello").length + 5);
        assertThat(idle.session.wanted()).isBetween(1, 8 * 1024);
    }

    @Test
    void whereBuffersAreFullNobodyIsReadFurtherThanTheMessageThatIsUnderWay() {
        Client client = client();
        client.answersAtOnce = false;
        full = true;
        byte[] query = Messages.query("hello" + "x".repeat(3_000));
        assertThat(sendWhileWanted(client, Messages.joined(query, query, query)))
                .isLessThan(query.length + 2_000);
        assertThat(client.waits).isTrue();
        assertThat(client.session.wantsClient()).isFalse();
        client.granted();
        assertThat(client.session.wantsClient()).isTrue();
        assertThat(client.told()).last().isEqualTo("Z:I");
    }

    /** @return how many bytes were taken */
    private static int sendWhileWanted(Client client, byte[] bytes) {
        int sent = 0;
        while (client.session.wantsClient() && sent < bytes.length) {
            int size = Math.min(client.session.wanted(), bytes.length - sent);
            client.says(Arrays.copyOfRange(bytes, sent, sent + size));
            sent += size;
        }
        return sent;
    }

    /** Without a connection it could leave them for as long as it likes. */
    @Test
    void whereBuffersAreFullAConnectionIsReleasedWhenTheClientHasReadItsAnswers() {
        full = true;
        Client reads = client().says(Messages.query("rows 10"));
        assertThat(reads.told()).last().isEqualTo("Z:I");
        assertThat(reads.server).as("of one that reads").isNull();

        Client client = client();
        client.takes = false;
        client.says(Messages.query("rows 10"));
        assertThat(client.server).isNotNull();
        client.takes = true;
        assertThat(client.told()).last().isEqualTo("Z:I");
        assertThat(client.server).isNull();

        client.takes = false;
        client.says(Messages.query("set work_mem = '1'"));
        assertThat(client.server).as("of one that must be reset").isNotNull();
        pass(SILENT.plusMillis(1), client);
        assertThat(client.ended)
                .as("ends as one that reads nothing within a transaction")
                .isTrue();
    }

    @Test
    void whereBuffersAreNotFullAConnectionIsReleasedBeforeTheClientHasReadItsAnswers() {
        Client client = client();
        client.takes = false;
        client.says(Messages.query("rows 10"));
        assertThat(client.server).isNull();
    }

    @Test
    void whoAsksWithoutReadingIsNotReadWithoutEnd() {
        Client client = client();
        client.says(Messages.query("begin"));
        Server server = Objects.requireNonNull(client.server);
        server.mute = true;
        for (int sent = 0; client.session.wantsClient() && sent < 1_000_000; sent++) {
            client.says(Messages.of('H', ""), Messages.describe(""), Messages.describe(""));
            server.link.out.bytes(); // taken by the server, never answered
        }
        assertThat(server.link.pipeline.size()).isBetween(Rules.OWED, Rules.OWED + 2);
        client.says(
                Messages.joined(Stream.generate(Messages::sync).limit(10_000).toArray(byte[][]::new)));
        assertThat(server.link.pipeline.size()).as("of what came in one piece").isLessThanOrEqualTo(Rules.OWED + 2);
    }

    @Test
    void whoSendsThousandsOfRequestsBeforeItReadsIsAnsweredInTheEnd() {
        Client client = client();
        client.takes = false;
        byte[] all = Messages.joined(
                Stream.generate(() -> Messages.query("hello")).limit(50_000).toArray(byte[][]::new));
        int sent = sendWhileWanted(client, all);
        assertThat(sent).isLessThan(all.length);
        client.takes = true;
        while (sent < all.length) {
            client.relay();
            assertThat(client.session.wantsClient()).isTrue();
            sent += sendWhileWanted(client, Arrays.copyOfRange(all, sent, all.length));
        }
        assertThat(client.told().stream().filter("Z:I"::equals)).hasSize(50_000);
        assertThat(client.server).isNull();
    }

    /** A server keeps small answers back until a Sync, which stands behind what is not read. */
    @Test
    void aBatchOfAnyLengthIsAnsweredBeforeItsSync() {
        Client client = client();
        keepsBack = true;
        byte[] batch = Messages.joined(Stream.concat(
                        Stream.of(Messages.parse("", "hello")),
                        Stream.generate(() -> Messages.bind("")).limit(3 * Rules.OWED))
                .toArray(byte[][]::new));
        assertThat(sendWhileWanted(client, Messages.joined(batch, Messages.sync())))
                .isEqualTo(batch.length + Messages.sync().length);
        assertThat(client.told()).hasSize(3 * Rules.OWED + 2).last().isEqualTo("Z:I");

        byte[] absorbed = Messages.joined(Stream.concat(
                        Stream.of(Messages.bind("")),
                        java.util.stream.IntStream.range(0, 3 * Rules.OWED)
                                .mapToObj(i -> Messages.parse("s" + i, "hello")))
                .toArray(byte[][]::new));
        assertThat(sendWhileWanted(client, Messages.joined(Messages.parse("", "hello"), absorbed, Messages.sync())))
                .as("most of it was prepared already")
                .isEqualTo(Messages.parse("", "hello").length + absorbed.length + Messages.sync().length);
        assertThat(client.told()).hasSize(3 * Rules.OWED + 3).last().isEqualTo("Z:I");
    }

    @Test
    void aTransactionOfSeveralStatementsIsRefusedInStatementMode() {
        Client client = new Client(rules(false, true, false), Map.of()).welcomed();
        assertThat(client.says(Messages.query("hello")).told()).contains("D:hello.");
        client.says(Messages.query("begin"));
        assertEndedWith(client, "25001");
        assertThat(free).hasSize(1);
    }

    @Test
    void nonsenseOfAClientsCostsNoConnection() {
        Client client = client().says(Messages.query("begin"));
        client.told();
        client.says(Messages.of('y', "nonsense"));
        assertEndedWith(client, "08P01");
        Client copies = client().says(Messages.query("copy in"));
        copies.says(Messages.query("select"));
        assertEndedWith(copies, "08P01");
        assertThat(free).hasSize(1);
        assertThat(givenUp).isZero();
    }

    @Test
    void whatIsSentInPlaceOfACopysDataIsNobodyElsesAnswer() {
        Client client = client();
        byte[] both = Messages.joined(Messages.query("copy in"), Messages.query("one"));
        client.says(both, Messages.query("two"));
        assertEndedWith(client, "08P01");
        assertThat(givenUp).isEqualTo(1);
    }

    // ---- statements

    @Test
    void aStatementThatHasBecomeStaleIsPreparedAnewOnce() {
        Client client = client().says(Messages.extended("from table"));
        client.told();
        database.schema++;
        assertThat(client.says(Messages.extended("from table")).told())
                .containsExactly("1:", "2:", "D:from table.", "C:SELECT 1.", "Z:I");
        int executed = free.getFirst().backend.executed();
        assertThat(executed).isEqualTo(2);
    }

    /** The server keeps its answers back until the Sync: nothing else makes the session go on. */
    @Test
    void whatArrivedBeforeARepetitionFollowsItAtOnce() throws ProtocolException {
        Client client = client().says(Messages.parse("s", "from table 0"), Messages.sync());
        client.told();
        database.schema++;
        Server server = free.getFirst();
        server.mute = true;
        client.says(Messages.bind("s"));
        answer(client, server);
        client.says(Messages.execute(), Messages.sync());
        answer(client, server);
        byte[] sent = server.link.out.bytes();
        assertThat(Arrays.copyOfRange(sent, sent.length - 5, sent.length)).containsExactly('S', 0, 0, 0, 4);
        server.backend.receive(sent, 0, sent.length);
        server.mute = false;
        client.relay();
        assertThat(client.told()).containsExactly("2:", "D:from table 0.", "C:SELECT 1.", "Z:I");
    }

    /** What was written goes to the server, and what it answers comes back: no more. */
    private static void answer(Client client, Server server) throws ProtocolException {
        byte[] sent = server.link.out.bytes();
        server.backend.receive(sent, 0, sent.length);
        client.hears(server, server.backend.out.bytes());
    }

    /** The driver prepares statements for JDBC under names that a client's driver uses, too. */
    @Test
    void aSessionOfItsOwnFindsNoStatementsOfTheDriver() throws ProtocolException {
        Server server = new Server();
        byte[] prepared = Messages.joined(Messages.parse("S_1", "of JDBC"), Messages.sync());
        server.backend.receive(prepared, 0, prepared.length);
        server.backend.out.bytes();
        free.add(server);
        Client client = inSessionMode()
                .says(Messages.parse("S_1", "hello"), Messages.bind("S_1"), Messages.execute(), Messages.sync());
        assertThat(client.told()).contains("D:hello.").noneMatch(each -> each.startsWith("E:"));
    }

    /** The command drops all there are, also those that clients of another mode have left. */
    @Test
    void withTheDriversStatementsTheSharedOnesAreForgotten() {
        client().says(Messages.parse("s", "hello"), Messages.sync()).told();
        Link link = free.getFirst().link;
        assertThat(link.prepared().statements()).hasSize(1);
        assertThat(link.takeDriversStatements()).isEqualTo("DEALLOCATE ALL;");
        assertThat(link.prepared().statements()).isEmpty();
        assertThat(link.takeDriversStatements()).isEmpty();
    }

    @Test
    void aParseOfAKnownTextFailsInAFailedTransaction() {
        client().says(Messages.parse("s", "hello"), Messages.sync()).told();
        Client client = client().says(Messages.query("begin"), Messages.query("fail"));
        client.told();
        client.says(Messages.parse("t", "hello"), Messages.sync());
        assertThat(client.told()).first().matches(first -> isError(first, "25P02"));
    }

    @Test
    void aStatementThatStaysStaleIsTheClientsToKnow() {
        Client client = client().says(Messages.parse("s", "from table"), Messages.sync());
        client.told();
        client.says(Messages.query("begin"));
        client.told();
        database.schema++;
        client.says(Messages.bind("s"), Messages.execute(), Messages.sync());
        assertThat(client.told())
                .as("within a transaction")
                .hasSize(2)
                .first()
                .asString()
                .contains("0A000");
    }

    @Test
    void nothingIsRepeatedAfterSomethingWasExecuted() {
        Client client = client().says(Messages.parse("s", "from table"), Messages.sync());
        client.told();
        database.schema++;
        client.says(
                Messages.parse("", "first"),
                Messages.bind(""),
                Messages.execute(),
                Messages.bind("s"),
                Messages.execute(),
                Messages.sync());
        assertThat(client.told())
                .contains("D:first.")
                .anyMatch(each -> isError(each, "0A000"))
                .last()
                .isEqualTo("Z:I");
        assertThat(free.getFirst().backend.ran()).isEqualTo(1);
    }

    @Test
    void aNamedStatementOfASessionIsItsOwnToPrepareAnew() {
        Client client = inSessionMode().says(Messages.parse("s", "from table"), Messages.sync());
        client.told();
        database.schema++;
        client.says(Messages.bind("s"), Messages.execute(), Messages.sync());
        assertThat(client.told()).hasSize(2).first().matches(first -> isError(first, "0A000"));
    }

    @Test
    void theUnnamedStatementIsGoneAfterASimpleQuery() {
        Client client = client().says(Messages.parse("", "one"), Messages.sync(), Messages.query("hello"));
        client.told();
        client.says(Messages.bind(""), Messages.execute(), Messages.sync());
        assertThat(client.told()).hasSize(2).first().matches(first -> isError(first, "26000"));
        assertThat(client.says(Messages.extended("two")).told()).contains("D:two.");
    }

    /** A text that comes once is not worth preparing, and a transaction that counts what it has prepared counts right. */
    @Test
    void anUnnamedTextIsKeptFromTheSecondLeaseOnInWhichItComes() {
        Client client = client();
        client.says(Messages.query("begin"));
        for (int times = 0; times < 3; times++) {
            client.says(Messages.extended("one"));
        }
        client.says(Messages.query("commit"));
        assertThat(free.getFirst().backend.has("headgate_1")).isFalse();

        client.says(Messages.extended("two"), Messages.extended("one"));
        assertThat(free.getFirst().backend.has("headgate_1")).isTrue();
        assertThat(free.getFirst().backend.has("headgate_2"))
                .as("the text that came once")
                .isFalse();
        assertThat(client.told()).contains("D:one.", "D:two.");
    }

    /** The schema may have changed since, past the port: what the server inferred is that old at most. */
    @Test
    void aParseOfWhatWasPreparedOverAMinuteAgoIsForwardedButForATransactionInWhichSomethingWasExecuted() {
        Client client = client();
        for (int lease = 0; lease < 3; lease++) {
            client.says(Messages.extended("one"));
        }
        FakeBackend backend = free.getFirst().backend;
        assertThat(backend.has("headgate_1")).isTrue();
        client.says(Messages.query("begin"));
        now += Duration.ofSeconds(61).toNanos();
        client.says(Messages.extended("one"), Messages.query("commit"));
        assertThat(backend.has("headgate_1")).isTrue();
        client.says(Messages.extended("one"));
        client.says(Messages.extended("one"));
        assertThat(backend.has("headgate_1")).isFalse();
        assertThat(backend.has("headgate_2")).isTrue();
        assertThat(backend.has("headgate_3")).isFalse();
        assertThat(client.told()).filteredOn("D:one."::equals).hasSize(6);
    }

    /** By itself it would wake the client for nothing. */
    @Test
    void anAnswerOfTheRelayTravelsWithTheServersUnlessTheServerOwesNone() {
        Client client = client().says(Messages.parse("s", "one"), Messages.sync());
        client.says(Messages.query("begin"));
        client.told();
        Server server = Objects.requireNonNull(client.server);
        server.mute = true;
        client.says(Messages.parse("t", "one"), Messages.bind("t"), Messages.execute(), Messages.sync());
        assertThat(client.told()).isEmpty();
        server.mute = false;
        client.relay();
        assertThat(client.told()).startsWith("1:", "2:", "D:one.").endsWith("Z:T");

        server.mute = true;
        client.says(Messages.parse("u", "one"), Messages.flush());
        assertThat(client.told()).as("nothing is awaited of the server").containsExactly("1:");
    }

    private static byte[][] executed(byte[] bind) {
        return new byte[][] {bind, Messages.describePortal(), Messages.execute(), Messages.sync()};
    }

    @Test
    void theColumnsOfAPreparedStatementAreAskedForOnceOfAConnection() {
        Client client = client().says(Messages.parse("s", "select one"), Messages.sync());
        client.says(executed(Messages.bind("s")));
        FakeBackend backend = free.getFirst().backend;
        assertThat(backend.describedPortals()).isEqualTo(1);
        List<String> first = client.told();
        assertThat(first).endsWith("2:", "T:select one.", "D:select one.", "C:SELECT 1.", "Z:I");
        client.says(executed(Messages.bind("s")));
        assertThat(client.told()).containsExactly("2:", "T:select one.", "D:select one.", "C:SELECT 1.", "Z:I");
        Client other = client().says(Messages.parse("t", "select one"), Messages.sync());
        other.told();
        other.says(executed(Messages.bind("t")));
        assertThat(other.told()).containsExactly("2:", "T:select one.", "D:select one.", "C:SELECT 1.", "Z:I");
        assertThat(backend.describedPortals()).isEqualTo(1);
    }

    @Test
    void columnsInTextAndInBinaryAreAskedForByThemselvesAndSeveralFormatsEachTime() {
        Client client = client().says(Messages.parse("s", "select one"), Messages.sync());
        client.says(executed(Messages.bind("s", 0)));
        client.says(executed(Messages.bind("s")));
        FakeBackend backend = free.getFirst().backend;
        assertThat(backend.describedPortals()).isEqualTo(1);
        client.says(executed(Messages.bind("s", 1)));
        client.says(executed(Messages.bind("s", 1)));
        assertThat(backend.describedPortals()).isEqualTo(2);
        client.says(executed(Messages.bind("s", 1, 0)));
        client.says(executed(Messages.bind("s", 1, 0)));
        assertThat(backend.describedPortals()).isEqualTo(4);
        assertThat(client.told()).filteredOn("T:select one."::equals).hasSize(6);
    }

    /** The tables may have been replaced by others meanwhile, past the port. */
    @Test
    void columnsAreAskedForAgainAfterAMinuteAndAfterAChangeOfTheSchema() {
        Client client = client().says(Messages.parse("s", "select one"), Messages.sync());
        client.says(executed(Messages.bind("s")));
        FakeBackend backend = free.getFirst().backend;
        now += Duration.ofSeconds(61).toNanos();
        client.says(executed(Messages.bind("s")));
        assertThat(backend.describedPortals()).isEqualTo(2);
        schemas.incrementAndGet();
        client.says(executed(Messages.bind("s")));
        client.says(executed(Messages.bind("s")));
        assertThat(backend.describedPortals()).isEqualTo(3);
        assertThat(client.told()).filteredOn("T:select one."::equals).hasSize(4);
    }

    /** They may be in another encoding than the one that is known of the client. */
    @Test
    void columnsThatAreAskedForWhileASettingIsUnderwayAreNotKept() {
        Client client = client().says(Messages.parse("s", "select one"), Messages.sync());
        client.says(Messages.query("begin"), Messages.query("set xmloption = 'document'"));
        client.says(executed(Messages.bind("s")));
        client.says(Messages.query("rollback"));
        FakeBackend backend = free.getFirst().backend;
        assertThat(backend.describedPortals()).isEqualTo(1);
        client.says(executed(Messages.bind("s")));
        client.says(executed(Messages.bind("s")));
        assertThat(backend.describedPortals()).isEqualTo(2);
        assertThat(client.told()).filteredOn("T:select one."::equals).hasSize(3);
    }

    /** What an EXECUTE or a FETCH returns is not known before. */
    @Test
    void columnsOfOtherStatementsThanQueriesAreAskedForEachTime() {
        Client client = client().says(Messages.parse("s", "fetch all from c"), Messages.sync());
        client.says(executed(Messages.bind("s")));
        client.says(executed(Messages.bind("s")));
        assertThat(free.getFirst().backend.describedPortals()).isEqualTo(2);
    }

    @Test
    void aDescribeThatDoesNotFollowItsBindIsTheServers() {
        Client client = client().says(Messages.parse("s", "select one"), Messages.sync());
        client.says(executed(Messages.bind("s")));
        client.says(
                Messages.bind("s"),
                Messages.execute(),
                Messages.describePortal(),
                Messages.describePortal(),
                Messages.sync());
        assertThat(free.getFirst().backend.describedPortals()).isEqualTo(3);
        assertThat(client.told()).filteredOn("T:select one."::equals).hasSize(3);
    }

    @Test
    void columnsAreNotToldOfAnExecutionThatTheServerRefuses() {
        Client client = client().says(Messages.parse("s", "select from table"), Messages.sync());
        client.says(executed(Messages.bind("s")));
        client.told();
        database.schema++;
        client.says(executed(Messages.bind("s")));
        assertThat(client.told()).hasSize(2).first().asString().startsWith("E:").contains("0A000");
        client.says(executed(Messages.bind("s")));
        client.told();
    }

    /** Nobody knows what else such a client left undone, so whoever comes next finds the connection as new. */
    @Test
    void aClientThatLeavesWithinATransactionTakesItsConnectionsStatementsAlong() {
        client().says(Messages.parse("s", "one"), Messages.sync());
        assertThat(free.getFirst().backend.has("headgate_1")).isTrue();
        Client client = client().says(Messages.extended("two"), Messages.query("begin"));
        client.goes();
        assertThat(free).hasSize(1);
        assertThat(free.getFirst().backend.has("headgate_1")).isFalse();
        client().says(Messages.extended("two"));
        assertThat(free.getFirst().backend.has("headgate_2"))
                .as("met before it")
                .isFalse();
    }

    @Test
    void textsThatMeanTheMomentAreNeverShared() {
        Client one = client().says(Messages.parse("s", "select 'now'"), Messages.sync());
        Client other = client().says(Messages.parse("s", "select 'now'"), Messages.sync());
        other.says(Messages.parse("t", "select 'now'"), Messages.sync());
        assertThat(opened).isEqualTo(3);
        FakeBackend backend = free.getFirst().backend;
        assertThat(free).hasSize(1);
        assertThat(List.of("headgate_1", "headgate_2", "headgate_3")).allMatch(backend::has);
        assertThat(one.told()).containsExactly("1:", "Z:I");
    }

    @Test
    void textsWithoutMomentsAreShared() {
        client().says(Messages.parse("s", "one"), Messages.sync());
        client().says(Messages.parse("other", "one"), Messages.sync(), Messages.extended("one"));
        assertThat(free).hasSize(1);
        assertThat(free.getFirst().backend.has("headgate_2")).isFalse();
    }

    @Test
    void clientsWithDifferentDateStylesShareNoStatement() {
        Client german = client(Map.of("datestyle", "German"));
        Client iso = client(Map.of("datestyle", "ISO"));
        for (Client each : List.of(german, iso, german, iso)) {
            String style = each == german ? "German" : "ISO";
            assertThat(each.says(Messages.extended("literal ")).told()).contains("D:literal " + style + "/default.");
            assertThat(each.says(Messages.parse("s" + clients++, "literal "), Messages.sync())
                            .told())
                    .containsExactly("1:", "Z:I");
        }
        assertThat(free).hasSize(1);
    }

    @Test
    void aStatementThatIsReadWhileSettingsChangeIsSharedWithNobody() {
        Client one =
                client().says(Messages.query("set datestyle = 'x'"), Messages.parse("s", "literal "), Messages.sync());
        assertThat(one.told()).last().isEqualTo("Z:I");
        Client other = client().says(Messages.extended("literal "));
        assertThat(other.told()).contains("D:literal ISO/default.");
    }

    @Test
    void aStatementThatIsPreparedElsewhereUnderOtherSettingsIsAnother() {
        Client one = client().says(Messages.parse("s", "literal "), Messages.sync());
        Server first = free.remove(); // another connection from now on
        one.says(Messages.query("set datestyle = 'x'"));
        one.told();
        assertThat(one.says(Messages.bind("s"), Messages.execute(), Messages.sync())
                        .told())
                .contains("D:literal x/default.");
        Client other = client().says(Messages.extended("literal "));
        assertThat(other.told()).contains("D:literal ISO/default.");
        assertThat(first.backend.has("headgate_1")).isTrue();
    }
}
