package dev.headgate.wire.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.SettingsText;
import dev.headgate.protocol.StatementCatalog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Sessions under schedules that seeds make up: several clients on fewer connections, bytes that come and go in pieces in any
 * order, leases that come late or not at all, notifications, cancels, alarms, rules that differ from client to client, now and then a
 * client whose bytes are wrong. A client must get, message for message, what the same backend answers it directly; where clients and
 * servers die, fall silent, are cancelled and stopped, nothing may hang and no connection may be lost.
 *
 * <p>{@code -Dschedules=N} sets how many: 100,000 after a change of the wire port. {@code -Dseed=S} plays one.
 */
class ScheduleTest {

    private static final int CLIENTS = 3;
    private static final int LINKS = 2;
    private static final int MOST_STEPS = 20_000;
    private static final long SECOND = 1_000_000_000L;

    /** By then whoever waits for an alarm has had it. */
    private static final long LONG = 2_000 * SECOND;

    /** So long after the last client has gone nothing is left. */
    private static final long END = 60 * SECOND;

    private static final int SECRET = 7;

    /** A schedule takes milliseconds of real time, and a moment longer on a busy machine. */
    private static final long STUCK = 60 * SECOND;

    @Test
    void aClientGetsWhatTheServerWouldAnswerItDirectly() throws Exception {
        play(false);
    }

    @Test
    void nothingHangsAndNothingIsLostWhenClientsAndServersDie() throws Exception {
        play(true);
    }

    /** A schedule on its thread, since a moment of {@link System#nanoTime}. */
    private record Playing(Thread thread, long since) {}

    private static void play(boolean deadly) throws Exception {
        Long one = Long.getLong("seed");
        LongStream seeds =
                one == null ? LongStream.range(0, Integer.getInteger("schedules", 25_000)) : LongStream.of(one);
        Map<Long, Playing> playing = new ConcurrentHashMap<>();
        FutureTask<Void> all = new FutureTask<>(
                () -> seeds.parallel().forEach(seed -> {
                    playing.put(seed, new Playing(Thread.currentThread(), System.nanoTime()));
                    try {
                        new Schedule(seed, deadly).play();
                    } catch (Throwable fault) {
                        throw failure(seed, deadly, fault);
                    } finally {
                        playing.remove(seed);
                    }
                }),
                null);
        Thread.ofPlatform().daemon().name("schedules").start(all);
        while (!all.isDone()) {
            try {
                all.get(1, TimeUnit.SECONDS);
            } catch (TimeoutException stillPlaying) {
                playing.forEach((seed, schedule) -> {
                    if (System.nanoTime() - schedule.since > STUCK) {
                        Throwable stuck = new Throwable("it does not end");
                        stuck.setStackTrace(schedule.thread.getStackTrace());
                        throw failure(seed, deadly, stuck);
                    }
                });
            }
        }
        all.get();
    }

    private static AssertionError failure(long seed, boolean deadly, Throwable fault) {
        return new AssertionError("-Dseed=" + seed + (deadly ? " (deadly)" : ""), fault);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** A connection and its backend, with bytes on their way. */
    private static final class Wire {
        final Link link;
        final FakeBackend backend;
        final Deque<byte[]> toBackend = new ArrayDeque<>();

        @Nullable
        Peer holder;

        boolean dead;

        /** Half-open: nothing comes through any more, and nobody is told. */
        boolean mute;

        Wire(FakeBackend.Database database, Buffers buffers) {
            link = new Link(Map.of("server_version", "fake", "DateStyle", "ISO"), buffers);
            backend = new FakeBackend(database, buffers);
        }
    }

    private record Cancel(Peer by, Wire of) {}

    /** A client, its session, and the world that the session sees. */
    private static final class Peer {
        final List<byte[]> script = new ArrayList<>();
        final ByteArrayOutputStream got = new ByteArrayOutputStream();
        final FrameReader in = new FrameReader();
        final FrameWriter out;
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        final Map<String, String> startup = new HashMap<>();

        @Nullable
        Session session;

        byte[] unsent = {};
        long held;
        boolean waits;
        /** Something that it says is not what a client says. */
        boolean wrong;

        boolean listens;
        int notified;
        boolean gone;

        /** Half-open: it says and takes nothing any more, and nobody is told. */
        boolean mute;

        boolean closed;
        boolean ended;
        long alarm = Long.MAX_VALUE;

        Peer(Buffers buffers) {
            out = new FrameWriter(buffers);
        }

        Session session() {
            return java.util.Objects.requireNonNull(session);
        }
    }

    /** What can happen next. */
    private enum Act {
        SAY,
        TAKE,
        GO_ON,
        HARM,
        CANCEL_WRONGLY,
        SEND,
        SERVE,
        ANSWER,
        WAKE,
        NOTIFY,
        BREAK,
        MUTE,
        GRANT,
        CANCEL
    }

    private static final class Schedule {
        final SplittableRandom random;
        final boolean deadly;

        /** Some leases are refused. */
        final boolean scarce;

        final Buffers buffers = new Buffers();
        final FakeBackend.Database database = new FakeBackend.Database();
        final List<Wire> wires = new ArrayList<>();
        final List<Wire> free = new ArrayList<>();
        final Deque<Peer> waiting = new ArrayDeque<>();
        final List<Peer> peers = new ArrayList<>();
        final List<Cancel> cancels = new ArrayList<>();

        /** Bytes of the texts that clients share. */
        long shared;

        final SharedTexts texts = new SharedTexts(
                bytes -> {
                    shared += bytes;
                    return true;
                },
                bytes -> shared += bytes);

        /** What is possible: an act and whose it is. */
        final Act[] possible = new Act[64];

        final int[] ofWhom = new int[possible.length];
        int count;
        long now = SECOND;
        long patience = LONG;
        boolean finishing;
        int unfit;

        /** The buffers of the clients fill, and empty again. */
        final boolean fills;

        boolean full;

        Schedule(long seed, boolean deadly) {
            random = new SplittableRandom(seed);
            this.deadly = deadly;
            fills = random.nextInt(4) == 0;
            scarce = deadly || random.nextInt(10) == 0;
            for (int i = 0; i < LINKS; i++) {
                addWire();
            }
            StatementCatalog catalog = new StatementCatalog(4_000);
            AtomicLong schemas = new AtomicLong();
            boolean anyWrong = random.nextInt(6) == 0;
            for (int i = 0; i < CLIENTS; i++) {
                Peer peer = new Peer(buffers);
                peers.add(peer);
                boolean keeps = i == 0 && random.nextInt(3) == 0; // one connection is left to the others
                peer.listens = i == 0 && !keeps && random.nextInt(3) == 0;
                peer.wrong = anyWrong && random.nextInt(2) == 0;
                if (random.nextBoolean()) {
                    peer.startup.put("work_mem", i + "MB");
                }
                if (random.nextInt(3) == 0) {
                    peer.startup.put("datestyle", "style" + i);
                }
                Map<String, String> startup = new HashMap<>();
                startup.put("application_name", SettingsText.command("application_name", "client " + i));
                peer.startup.forEach((name, value) -> startup.put(name, SettingsText.command(name, value)));
                peer.session = new Session(
                        new Session.Client(i + 1, SECRET, "client " + i, name -> name),
                        rules(keeps),
                        startup,
                        peer.in,
                        peer.out,
                        buffers,
                        catalog,
                        texts,
                        schemas,
                        world(peer));
                peer.session().welcome(random.nextBoolean() ? Map.of() : null, reported -> {});
                writeScript(peer, i);
            }
        }

        /** What its domain and the port say. What changes the answers stays as it is where these are compared. */
        private Rules rules(boolean session) {
            return new Rules(
                    session,
                    deadly && !session && random.nextInt(8) == 0,
                    deadly && random.nextInt(8) == 0,
                    random.nextInt(4) > 0,
                    random.nextInt(8) == 0,
                    random.nextInt(8) == 0,
                    deadly && random.nextInt(4) == 0 ? Duration.ofSeconds(30) : Duration.ZERO,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(10),
                    Rules.ROOM,
                    random.nextInt(3) == 0 ? 2 + random.nextInt(4) : Rules.OWED,
                    Rules.STATEMENTS);
        }

        private void addWire() {
            Wire wire = new Wire(database, buffers);
            wire.backend.keepsBack = random.nextBoolean();
            wires.add(wire);
            free.add(wire);
        }

        Surroundings world(Peer peer) {
            return new Surroundings() {
                @Override
                public long nanoTime() {
                    return now;
                }

                @Override
                public void lease(String holder) {
                    check(!waiting.contains(peer), "asks twice for a lease");
                    waiting.add(peer);
                    if (random.nextBoolean()) {
                        grant();
                    }
                }

                @Override
                public void giveUp() {
                    check(waiting.remove(peer), "gives up what it does not wait for");
                }

                @Override
                public void release(Link link, boolean fit) {
                    Wire wire = wireOf(link);
                    check(wire.holder == peer, "releases what it does not hold");
                    wire.holder = null;
                    if (fit && !wire.dead) {
                        check(wire.link.out.size() == 0, "unsent at release");
                        arrive(wire); // data for a COPY that has failed, say
                        check(wire.backend.out.size() == 0, "unread at release");
                        check(wire.backend.status() == 'I', "in a transaction at release");
                        check(!wire.backend.isSleeping(), "at work at release");
                        check(!wire.backend.isListening(), "listening at release");
                        check(
                                cancels.stream().noneMatch(each -> each.of() == wire),
                                "released while a cancel is on its way");
                        free.add(wire);
                    } else {
                        unfit++;
                        wires.remove(wire);
                        addWire();
                    }
                }

                @Override
                public void cancel(Link link) {
                    cancels.add(new Cancel(peer, wireOf(link)));
                }

                @Override
                public void wakeAt(long nanos) {
                    peer.alarm = nanos;
                }

                @Override
                public void close() {
                    peer.closed = true;
                }

                @Override
                public boolean hold(long bytes) {
                    peer.held += bytes;
                    return true;
                }

                @Override
                public void holdAgain(long bytes) {
                    peer.held += bytes;
                }

                @Override
                public void letGo(long bytes) {
                    peer.held -= bytes;
                    check(peer.held >= 0, "gives back memory that it does not hold");
                }

                @Override
                public boolean isFull() {
                    return full;
                }

                @Override
                public void ended() {
                    check(!peer.ended, "ends twice");
                    peer.ended = true;
                }
            };
        }

        /** What is still on its way to a backend arrives. */
        private void arrive(Wire wire) {
            try {
                while (!wire.toBackend.isEmpty()) {
                    byte[] piece = wire.toBackend.remove();
                    wire.backend.receive(piece, 0, piece.length);
                }
            } catch (ProtocolException e) {
                throw new AssertionError(e);
            }
        }

        private Wire wireOf(Link link) {
            for (Wire each : wires) {
                if (each.link == link) {
                    return each;
                }
            }
            throw new AssertionError("a link that is gone");
        }

        private void grant() {
            if (!waiting.isEmpty() && !free.isEmpty()) {
                Peer peer = waiting.remove();
                if (scarce && !finishing && random.nextInt(20) == 0) {
                    peer.session().refused("53300", "no lease", "");
                    return;
                }
                Wire wire = free.remove(random.nextInt(free.size()));
                wire.holder = peer;
                peer.session().leased(wire.link);
                sendSoon(peer);
            }
        }

        // ---- what clients do

        private void writeScript(Peer peer, int number) {
            int utterances = 1 + random.nextInt(6);
            int wrong = peer.wrong ? random.nextInt(utterances) : -1;
            for (int i = 0; i < utterances; i++) {
                byte[] said = utterance(number);
                if (i == wrong) {
                    spoil(said);
                }
                peer.script.add(said);
            }
            if (peer.listens) {
                peer.script.add(random.nextInt(utterances), Messages.query("listen"));
            }
            peer.script.add(Messages.query("show work_mem"));
            peer.script.add(Messages.query("show datestyle"));
        }

        private void spoil(byte[] said) {
            for (int left = 1 + random.nextInt(3); left > 0; left--) {
                int at = random.nextInt(random.nextBoolean() ? Math.min(12, said.length) : said.length);
                said[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : said[at] ^ 1 << random.nextInt(8));
            }
        }

        private byte[] utterance(int number) {
            return switch (random.nextInt(24)) {
                case 0 -> Messages.query("hello " + number);
                case 1 -> Messages.query("begin; hello; commit");
                case 2 -> Messages.joined(Messages.query("begin"), Messages.query("hello"), Messages.query("commit"));
                case 3 -> Messages.joined(Messages.query("begin"), Messages.query("fail"), Messages.query("rollback"));
                case 4 -> Messages.query("set work_mem = '" + random.nextInt(3) + "'");
                case 5 ->
                    random.nextBoolean()
                            ? Messages.joined(
                                    Messages.query("begin"),
                                    Messages.query("set work_mem = '9'"),
                                    Messages.query(random.nextBoolean() ? "commit" : "rollback"))
                            : partlyUndone();
                case 6 -> unnamed(orSelected("one " + random.nextInt(4)));
                case 7 -> unnamed(orSelected("from table " + random.nextInt(2)));
                case 8 -> named("s" + random.nextInt(100_000), orSelected("two " + random.nextInt(4)));
                case 9 -> Messages.joined(unnamed("one"), unnamed("bad"), unnamed("two"));
                case 10 ->
                    Messages.joined(
                            Messages.parse("", "one"),
                            Messages.bind(""),
                            Messages.execute(),
                            Messages.parse("", "fail"),
                            Messages.bind(""),
                            Messages.execute(),
                            Messages.parse("", "three"),
                            Messages.bind(""),
                            Messages.execute(),
                            Messages.sync());
                case 11 ->
                    Messages.joined(
                            Messages.query("copy in"),
                            Messages.of('d', "x".repeat(random.nextInt(2000))),
                            Messages.of('c', ""));
                case 12 -> Messages.query("copy out");
                case 13 -> Messages.query(random.nextInt(3) == 0 ? "wide " + random.nextInt(16) : "rows " + rows());
                case 14 ->
                    Messages.joined(
                            Messages.parse("", "copy in"),
                            Messages.bind(""),
                            Messages.execute(),
                            Messages.sync(),
                            Messages.of('d', "1"),
                            Messages.of('c', ""),
                            Messages.sync());
                case 15 -> Messages.joined(Messages.query("copy in"), Messages.of('f', "no\0"));
                case 16 -> Messages.extended("select 'now'");
                case 17 -> Messages.query(setting("datestyle"));
                case 18 ->
                    Messages.joined(
                            Messages.query("begin"),
                            Messages.query(setting("datestyle")),
                            unnamed("literal"),
                            Messages.query(setting("xmloption")),
                            named("in" + random.nextInt(100_000), "literal"),
                            Messages.query(random.nextBoolean() ? "commit" : "rollback"),
                            unnamed("literal"));
                case 19 -> Messages.joined(Messages.query(setting("xmloption")), unnamed("literal"));
                case 20 -> random.nextBoolean() ? unnamed("literal") : named("l" + random.nextInt(100_000), "literal");
                case 21 ->
                    random.nextBoolean()
                            ? Messages.query("sleep")
                            : Messages.joined(Messages.extended("sleep"), Messages.flush());
                case 22 ->
                    Messages.joined(
                            Messages.query("copy in"),
                            Messages.of('d', "x".repeat(random.nextInt(8) == 0 ? 90_000 : 9_000)),
                            Messages.of('f', "no\0"),
                            Messages.of('d', "late"));
                default ->
                    Messages.joined(
                            Messages.parse(
                                    "", "long " + "y".repeat(random.nextInt(random.nextInt(8) == 0 ? 90_000 : 20_000))),
                            Messages.describe(""),
                            Messages.bind(""),
                            Messages.execute(),
                            Messages.flush(),
                            Messages.sync());
            };
        }

        private int rows() {
            return random.nextInt(random.nextInt(8) == 0 ? 600 : 40);
        }

        /** A transaction that takes some of its settings back, in one round or in several. */
        private byte[] partlyUndone() {
            List<String> all = new ArrayList<>(List.of("begin"));
            for (int left = 1 + random.nextInt(6); left > 0; left--) {
                String savepoint = "p" + random.nextInt(2);
                all.add(
                        switch (random.nextInt(8)) {
                            case 0, 1 -> "savepoint " + savepoint;
                            case 2 -> "rollback to " + savepoint;
                            case 3 -> "release " + savepoint;
                            case 4 -> random.nextInt(3) == 0 ? "fail" : "hello";
                            case 5 -> random.nextBoolean() ? "commit and chain" : "rollback and chain";
                            default -> "set work_mem = '" + random.nextInt(9) + "'";
                        });
            }
            all.add(random.nextInt(3) == 0 ? "rollback" : "commit");
            return random.nextBoolean()
                    ? Messages.joined(Messages.query(String.join("; ", all)), Messages.query("rollback"))
                    : Messages.joined(all.stream().map(Messages::query).toArray(byte[][]::new));
        }

        private String setting(String name) {
            return "set " + name + " = 'style" + random.nextInt(3) + "'";
        }

        private byte[] unnamed(String sql) {
            byte[] describe = random.nextBoolean() ? Messages.describe("") : new byte[0];
            return Messages.joined(
                    Messages.parse("", sql),
                    describe,
                    Messages.bind(""),
                    orPortals(),
                    Messages.execute(),
                    Messages.sync());
        }

        /** The columns of such a statement are kept. */
        private String orSelected(String sql) {
            return random.nextBoolean() ? "select " + sql : sql;
        }

        private byte[] orPortals() {
            return random.nextBoolean() ? Messages.describePortal() : new byte[0];
        }

        private byte[] named(String name, String sql) {
            return Messages.joined(
                    Messages.parse(name, sql),
                    Messages.sync(),
                    Messages.bind(name),
                    orPortals(),
                    Messages.execute(),
                    Messages.bind(name),
                    orPortals(),
                    Messages.execute(),
                    Messages.sync(),
                    Messages.of('C', 'S' + name + '\0'),
                    Messages.sync());
        }

        // ---- the schedule

        void play() throws Exception {
            for (int step = 0; step < MOST_STEPS; step++) {
                if (!act() && !(now < patience && advance()) && !wrongOnesLeave()) {
                    finish();
                    return;
                }
            }
            throw new AssertionError("does not come to an end");
        }

        /** A server and a client that misunderstand each other wait for ever. */
        private boolean wrongOnesLeave() {
            boolean any = false;
            for (Peer peer : peers) {
                if (peer.wrong && !peer.gone) {
                    any = true;
                    leave(peer);
                }
            }
            patience = now + LONG;
            return any;
        }

        private void can(Act act, int whose) {
            possible[count] = act;
            ofWhom[count++] = whose;
        }

        /** One thing that can happen, if any can. */
        private boolean act() throws Exception {
            count = 0;
            if (fills && random.nextInt(30) == 0) {
                full = !full;
            }
            for (int i = 0; i < CLIENTS; i++) {
                look(peers.get(i), i);
            }
            for (int i = 0; i < LINKS; i++) {
                look(wires.get(i), i);
            }
            if (!waiting.isEmpty() && !free.isEmpty()) {
                can(Act.GRANT, 0);
            }
            if (!cancels.isEmpty()) {
                can(Act.CANCEL, random.nextInt(cancels.size()));
            }
            if (random.nextInt(20) == 0 && isBetweenRequests()) {
                database.schema++;
            }
            if (count == 0) {
                return false;
            }
            int chosen = random.nextInt(count);
            act(possible[chosen], ofWhom[chosen]);
            return true;
        }

        private void look(Peer peer, int i) {
            Session session = peer.session();
            if (!peer.closed
                    && !peer.gone
                    && !peer.mute
                    && (peer.unsent.length > 0 ? session.wantsClient() : mayGoOn(peer) && session.wantsClient())) {
                can(Act.SAY, i);
            }
            if (peer.out.size() > 0 && !peer.mute) {
                can(Act.TAKE, i);
            }
            if (session.canGoOn()) {
                can(Act.GO_ON, i);
            }
            if (deadly && !peer.gone && random.nextInt(150) == 0) {
                can(Act.HARM, i);
            }
            if (random.nextInt(500) == 0) {
                can(Act.CANCEL_WRONGLY, i);
            }
        }

        private void look(Wire wire, int i) {
            if (wire.dead || wire.mute) {
                return;
            }
            Peer holder = wire.holder;
            if (wire.link.out.size() > 0) {
                can(Act.SEND, i);
            }
            if (!wire.toBackend.isEmpty()) {
                can(Act.SERVE, i);
            }
            if (wire.backend.isSleeping()) {
                can(Act.WAKE, i);
            }
            if (holder == null) {
                return;
            }
            if (wire.backend.out.size() > 0 && holder.session().wantsServer()) {
                can(Act.ANSWER, i);
            }
            if (wire.backend.notifies() && random.nextInt(10) == 0) {
                can(Act.NOTIFY, i);
            }
            if (deadly && random.nextInt(300) == 0) {
                can(random.nextBoolean() ? Act.BREAK : Act.MUTE, i);
            }
        }

        private void act(Act act, int whose) throws Exception {
            switch (act) {
                case SAY -> say(peers.get(whose));
                case TAKE -> takeFrom(peers.get(whose));
                case GO_ON -> {
                    peers.get(whose).session().drained();
                    sendSoon(peers.get(whose));
                }
                case HARM -> harm(peers.get(whose));
                case CANCEL_WRONGLY -> {
                    int before = cancels.size();
                    peers.get(whose).session().cancel(SECRET + 1);
                    check(cancels.size() == before, "cancelled without the secret");
                }
                case SEND -> send(wires.get(whose));
                case SERVE -> serve(wires.get(whose));
                case ANSWER -> answer(wires.get(whose));
                case WAKE -> wires.get(whose).backend.wake();
                case NOTIFY -> notify(wires.get(whose));
                case BREAK -> die(wires.get(whose));
                case MUTE -> wires.get(whose).mute = true;
                case GRANT -> grant();
                case CANCEL -> cancel(cancels.remove(whose));
            }
        }

        /** A table that changes within a request is a matter between client and server. */
        private boolean isBetweenRequests() {
            for (Peer peer : peers) {
                if (peer.waits && (peer.unsent.length > 0 || !peer.session().isIdle())) {
                    return false;
                }
            }
            return true;
        }

        /**
         * Whoever uses a table waits for the answer: a statement that has become stale is repeated only while nothing was sent
         * behind it.
         */
        private boolean mayGoOn(Peer peer) {
            return !peer.script.isEmpty() && (!peer.waits || peer.session().isIdle());
        }

        private void say(Peer peer) {
            if (peer.unsent.length == 0) {
                peer.unsent = peer.script.remove(0);
                peer.said.writeBytes(peer.unsent);
                peer.waits = new String(peer.unsent, StandardCharsets.ISO_8859_1).contains("table");
            }
            int size = random.nextInt(3) == 0 ? peer.unsent.length : 1 + random.nextInt(peer.unsent.length);
            size = Math.min(size, peer.session().wanted());
            byte[] piece = Arrays.copyOf(peer.unsent, size);
            peer.unsent = Arrays.copyOfRange(peer.unsent, size, peer.unsent.length);
            peer.in.feed(piece, 0, size);
            peer.session().fromClient();
            peer.in.keep();
            Arrays.fill(piece, (byte) '!'); // nothing may still look at it
            sendSoon(peer);
        }

        /** As who has the sockets does after every event: sends what there is, but the socket may take nothing. */
        private void sendSoon(Peer peer) {
            Link link = peer.session().link();
            if (link != null && link.out.size() > 0 && random.nextInt(4) > 0) {
                wireOf(link).toBackend.add(link.out.bytes());
            }
        }

        private void send(Wire wire) throws IOException {
            move(wire.link.out, wire.toBackend::add);
            Peer holder = wire.holder;
            if (holder != null) {
                holder.session().drained();
                sendSoon(holder);
            }
        }

        private void takeFrom(Peer peer) throws IOException {
            move(peer.out, peer.got::writeBytes);
            if (random.nextBoolean()) {
                peer.session().drained();
                sendSoon(peer);
            }
        }

        private void move(FrameWriter from, java.util.function.Consumer<byte[]> to) throws IOException {
            if (random.nextInt(3) > 0) {
                to.accept(from.bytes());
                return;
            }
            int most = 1 + random.nextInt(from.size());
            int[] left = {most};
            from.drain((bytes, offset, size) -> {
                int taken = Math.min(left[0], size);
                left[0] -= taken;
                if (taken > 0) {
                    to.accept(Arrays.copyOfRange(bytes, offset, offset + taken));
                }
                return taken;
            });
        }

        private void serve(Wire wire) throws ProtocolException {
            byte[] piece = wire.toBackend.remove();
            int size = random.nextInt(3) == 0 ? 1 + random.nextInt(piece.length) : piece.length;
            if (size < piece.length) {
                wire.toBackend.addFirst(Arrays.copyOfRange(piece, size, piece.length));
            }
            wire.backend.receive(piece, 0, size);
        }

        private void answer(Wire wire) throws IOException {
            Peer holder = java.util.Objects.requireNonNull(wire.holder);
            ByteArrayOutputStream taken = new ByteArrayOutputStream();
            move(wire.backend.out, taken::writeBytes);
            byte[] piece = taken.toByteArray();
            wire.link.in.feed(piece, 0, piece.length);
            holder.session().fromServer();
            wire.link.in.keep();
            Arrays.fill(piece, (byte) '!');
            sendSoon(holder);
        }

        private void notify(Wire wire) {
            wire.backend.tell("n");
            java.util.Objects.requireNonNull(wire.holder).notified++;
        }

        private void die(Wire wire) {
            Peer holder = java.util.Objects.requireNonNull(wire.holder);
            wire.dead = true;
            holder.session().serverGone("it was killed");
            sendSoon(holder);
        }

        private void cancel(Cancel cancel) throws ProtocolException {
            Wire wire = cancel.of();
            if (!wire.dead && wires.contains(wire)) {
                check(wire.holder == cancel.by(), "a cancel meets somebody else");
                if (!wire.mute) {
                    wire.backend.cancel();
                }
            }
            cancel.by().session().cancelled();
            sendSoon(cancel.by());
        }

        private void harm(Peer peer) {
            Session session = peer.session();
            switch (random.nextInt(9)) {
                case 0 -> session.kill();
                case 1 -> session.stop();
                case 2, 3, 4 -> session.cancel(SECRET);
                case 5 -> {
                    session.leaseNoMore("deleted");
                    session.dismiss("deleted");
                }
                case 6 -> peer.mute = true;
                default -> leave(peer);
            }
            sendSoon(peer);
        }

        private void leave(Peer peer) {
            peer.gone = true;
            peer.session().clientGone();
            sendSoon(peer);
        }

        /** Nothing can happen before the next alarm. */
        private boolean advance() {
            Peer next = null;
            for (Peer peer : peers) {
                if (peer.alarm < Long.MAX_VALUE && !peer.ended && (next == null || peer.alarm < next.alarm)) {
                    next = peer;
                }
            }
            if (next == null) {
                return false;
            }
            now = Math.max(now, next.alarm);
            next.alarm = Long.MAX_VALUE;
            next.session().alarm();
            sendSoon(next);
            return true;
        }

        private void finish() throws Exception {
            boolean anyWrong = peers.stream().anyMatch(peer -> peer.wrong);
            if (!deadly) {
                check(anyWrong || unfit == 0, "a connection was given up");
                for (Peer peer : peers) {
                    Session session = peer.session();
                    if (!peer.wrong && !(scarce && peer.got.toByteArray()[0] == 'E')) { // its login was not refused
                        if (!session.isIdle() || !peer.script.isEmpty()) {
                            throw new AssertionError("not all was answered: "
                                    + Messages.read(peer.said.toByteArray())
                                    + ", told "
                                    + Messages.read(peer.got.toByteArray()));
                        }
                        check(session.link() == null || session.rules.keepsConnection() || peer.listens, "held");
                        compare(peer);
                    }
                }
            }
            for (Peer peer : peers) {
                check(!peer.mute || mayHold(peer), "a half-open client holds a connection");
            }
            finishing = true;
            for (Peer peer : peers) {
                if (!peer.gone) {
                    leave(peer);
                }
            }
            long began = now;
            for (int step = 0; step < MOST_STEPS && (act() || advance()); step++) {}
            check(waiting.isEmpty(), "somebody waits");
            check(wires.size() == LINKS && free.size() == LINKS, "a connection is lost");
            for (Peer peer : peers) {
                check(peer.ended, "a session does not end");
            }
            check(shared == 0 && texts.isEmpty(), "a text that nobody holds is kept");
            check(now - began <= END, "it takes too long to end");
        }

        /** Whether it holds no connection, or one that it may keep, or one of a server that does not answer. */
        private boolean mayHold(Peer peer) {
            Link link = peer.session().link();
            return link == null || peer.session().rules.keepsConnection() || peer.listens || wireOf(link).mute;
        }

        /** What was said, played again to a backend of the client's own. */
        private void compare(Peer peer) throws Exception {
            FakeBackend direct = new FakeBackend(new FakeBackend.Database(), buffers);
            peer.startup.forEach(direct::set);
            byte[] said = peer.said.toByteArray();
            direct.receive(said, 0, said.length);
            while (direct.isSleeping()) {
                direct.wake();
            }
            byte[] meant = direct.out.bytes();
            Told told = new Told(peer.got.toByteArray(), true, peer.startup.getOrDefault("datestyle", "ISO"));
            if (scarce) {
                return; // what was refused is answered otherwise
            }
            if (!Arrays.equals(told.answers, new Told(meant, false, "").answers)) {
                List<String> all = Messages.read(told.answers);
                assertThat(all).isEqualTo(Messages.read(new Told(meant, false, "").answers));
            }
            check(told.dateStyle.equals(direct.setting("datestyle")), "is told of another DateStyle");
            check(told.notifications == peer.notified, "not all notifications have come");
        }
    }

    /** What a client was told. */
    private static final class Told {

        private static final String DATE_STYLE = "DateStyle\0";

        /** Without the greeting, notices, notifications, and what the server reports. */
        final byte[] answers;

        int notifications;
        String dateStyle;

        Told(byte[] stream, boolean greeted, String dateStyle) {
            this.dateStyle = dateStyle;
            byte[] kept = new byte[stream.length];
            int size = 0;
            boolean begun = !greeted;
            for (int at = 0; at < stream.length; ) {
                int end = Messages.end(stream, at);
                check(end <= stream.length, "the last message is cut");
                char type = (char) stream[at];
                switch (type) {
                    case 'S' -> note(new String(stream, at + 5, end - at - 6, StandardCharsets.ISO_8859_1));
                    case 'A' -> notifications++;
                    case 'N' -> {}
                    default -> {
                        if (begun) {
                            System.arraycopy(stream, at, kept, size, end - at);
                            size += end - at;
                        }
                        begun |= type == 'Z';
                    }
                }
                at = end;
            }
            answers = Arrays.copyOf(kept, size);
        }

        private void note(String reported) {
            if (reported.startsWith(DATE_STYLE)) {
                dateStyle = reported.substring(DATE_STYLE.length());
            }
        }
    }
}
