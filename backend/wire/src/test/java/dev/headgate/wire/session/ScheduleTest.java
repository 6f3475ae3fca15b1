package dev.headgate.wire.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.SettingsText;
import dev.headgate.protocol.StatementCatalog;
import java.io.ByteArrayOutputStream;
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
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Sessions under schedules that seeds make up: several clients on fewer connections, bytes that come in pieces in any
 * order, leases that come late, alarms. A client must get, message for message, what the same backend answers it directly;
 * where clients and servers die, are cancelled and stopped, nothing may hang and no connection may be lost.
 *
 * <p>{@code -Dschedules=N} sets how many, {@code -Dseed=S} plays one.
 */
class ScheduleTest {

    private static final int CLIENTS = 3;
    private static final int LINKS = 2;
    private static final int MOST_STEPS = 20_000;
    private static final long SECOND = 1_000_000_000L;

    private static final Rules RULES = rules(false);

    private static Rules rules(boolean session) {
        return new Rules(
                session,
                false,
                false,
                true,
                false,
                false,
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(10));
    }

    @Test
    void aClientGetsWhatTheServerWouldAnswerItDirectly() {
        play(Integer.getInteger("schedules", 10_000), false);
    }

    @Test
    void nothingHangsAndNothingIsLostWhenClientsAndServersDie() {
        play(Integer.getInteger("schedules", 10_000), true);
    }

    private static void play(int schedules, boolean deadly) {
        Long one = Long.getLong("seed");
        for (long seed = one == null ? 0 : one; seed < (one == null ? schedules : one + 1); seed++) {
            try {
                new Schedule(seed, deadly).play();
            } catch (Exception | AssertionError fault) {
                throw new AssertionError("-Dseed=" + seed + (deadly ? " (deadly)" : ""), fault);
            }
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

        Wire(FakeBackend.Database database, Buffers buffers) {
            link = new Link(Map.of("server_version", "fake"), buffers);
            backend = new FakeBackend(database);
        }
    }

    /** A client, its session, and the world that the session sees. */
    private static final class Peer {
        final List<byte[]> script = new ArrayList<>();
        final ByteArrayOutputStream got = new ByteArrayOutputStream();
        final FrameReader in = new FrameReader();
        final FrameWriter out;
        final ByteArrayOutputStream said = new ByteArrayOutputStream();

        @Nullable
        String memory;

        byte[] unsent = {};
        boolean waits;
        boolean gone;
        boolean closed;
        boolean ended;
        long alarm = Long.MAX_VALUE;

        Peer(Buffers buffers) {
            out = new FrameWriter(buffers);
        }
    }

    private static final class Schedule {
        final SplittableRandom random;
        final boolean deadly;
        final Buffers buffers = new Buffers();
        final FakeBackend.Database database = new FakeBackend.Database();
        final List<Wire> wires = new ArrayList<>();
        final List<Wire> free = new ArrayList<>();
        final Deque<Peer> waiting = new ArrayDeque<>();
        final List<Peer> peers = new ArrayList<>();
        final Map<Peer, Session> sessions = new HashMap<>();
        final List<Peer> cancels = new ArrayList<>();
        long now = SECOND;

        Schedule(long seed, boolean deadly) {
            random = new SplittableRandom(seed);
            this.deadly = deadly;
            for (int i = 0; i < LINKS; i++) {
                addWire();
            }
            StatementCatalog catalog = new StatementCatalog(4_000);
            AtomicLong schemas = new AtomicLong();
            for (int i = 0; i < CLIENTS; i++) {
                Peer peer = new Peer(buffers);
                peers.add(peer);
                Map<String, String> startup = new HashMap<>();
                startup.put("application_name", SettingsText.command("application_name", "client " + i));
                if (random.nextBoolean()) {
                    startup.put("work_mem", SettingsText.command("work_mem", i + "MB"));
                }
                Session session = new Session(
                        new Session.Client(i + 1, 7, "client " + i, name -> name),
                        i == 0 && random.nextInt(3) == 0 ? rules(true) : RULES, // one connection is left to the others
                        startup,
                        peer.in,
                        peer.out,
                        buffers,
                        catalog,
                        schemas,
                        world(peer));
                sessions.put(peer, session);
                session.welcome(random.nextBoolean() ? Map.of() : null, reported -> {});
                peer.memory = startup.containsKey("work_mem") ? i + "MB" : null;
                writeScript(peer, i);
            }
        }

        private void addWire() {
            Wire wire = new Wire(database, buffers);
            wires.add(wire);
            free.add(wire);
        }

        private Session session(Peer peer) {
            return java.util.Objects.requireNonNull(sessions.get(peer));
        }

        Surroundings world(Peer peer) {
            return new Surroundings() {
                @Override
                public long nanoTime() {
                    return now;
                }

                @Override
                public void lease(String holder) {
                    assertThat(waiting).doesNotContain(peer);
                    waiting.add(peer);
                    if (random.nextBoolean()) {
                        grant();
                    }
                }

                @Override
                public void giveUp() {
                    assertThat(waiting.remove(peer)).isTrue();
                }

                @Override
                public void release(Link link, boolean fit) {
                    Wire wire = wireOf(link);
                    assertThat(wire.holder).isSameAs(peer);
                    wire.holder = null;
                    if (fit && !wire.dead) {
                        assertThat(wire.link.out.size()).as("unsent at release").isZero();
                        assertThat(wire.toBackend).as("on its way at release").isEmpty();
                        assertThat(wire.backend.out.size())
                                .as("unread at release")
                                .isZero();
                        assertThat(wire.backend.status()).isEqualTo('I');
                        free.add(wire);
                    } else {
                        wires.remove(wire);
                        addWire();
                    }
                }

                @Override
                public void cancel(Link link) {
                    cancels.add(peer);
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
                public void ended() {
                    assertThat(peer.ended).isFalse();
                    peer.ended = true;
                }
            };
        }

        private Wire wireOf(Link link) {
            return wires.stream().filter(each -> each.link == link).findFirst().orElseThrow();
        }

        private void grant() {
            if (!waiting.isEmpty() && !free.isEmpty()) {
                Peer peer = waiting.remove();
                if (deadly && random.nextInt(20) == 0) {
                    session(peer).refused("53300", "no lease", "");
                    return;
                }
                Wire wire = free.remove(random.nextInt(free.size()));
                wire.holder = peer;
                session(peer).leased(wire.link);
                drainSession(peer);
            }
        }

        // ---- what clients do

        private void writeScript(Peer peer, int number) {
            for (int left = 1 + random.nextInt(6); left > 0; left--) {
                peer.script.add(utterance(number));
            }
            peer.script.add(Messages.query("show work_mem"));
        }

        private byte[] utterance(int number) {
            return switch (random.nextInt(18)) {
                case 0 -> Messages.query("hello " + number);
                case 1 -> Messages.query("begin; hello; commit");
                case 2 -> Messages.joined(Messages.query("begin"), Messages.query("hello"), Messages.query("commit"));
                case 3 -> Messages.joined(Messages.query("begin"), Messages.query("fail"), Messages.query("rollback"));
                case 4 -> Messages.query("set work_mem = '" + random.nextInt(3) + "'");
                case 5 ->
                    Messages.joined(
                            Messages.query("begin"),
                            Messages.query("set work_mem = '9'"),
                            Messages.query(random.nextBoolean() ? "commit" : "rollback"));
                case 6 -> unnamed("one " + random.nextInt(4));
                case 7 -> unnamed("from table " + random.nextInt(2));
                case 8 -> named("s" + random.nextInt(100_000), "two " + random.nextInt(4));
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
                case 13 -> Messages.query("rows " + random.nextInt(600));
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
                case 16 ->
                    Messages.joined(
                            Messages.parse("", "select 'now'"), Messages.bind(""), Messages.execute(), Messages.sync());
                default ->
                    Messages.joined(
                            Messages.parse("", "long " + "y".repeat(random.nextInt(20_000))),
                            Messages.describe(""),
                            Messages.bind(""),
                            Messages.execute(),
                            Messages.of('H', ""),
                            Messages.sync());
            };
        }

        private byte[] unnamed(String sql) {
            byte[] describe = random.nextBoolean() ? Messages.describe("") : new byte[0];
            return Messages.joined(
                    Messages.parse("", sql), describe, Messages.bind(""), Messages.execute(), Messages.sync());
        }

        private byte[] named(String name, String sql) {
            return Messages.joined(
                    Messages.parse(name, sql),
                    Messages.sync(),
                    Messages.bind(name),
                    Messages.execute(),
                    Messages.bind(name),
                    Messages.execute(),
                    Messages.sync(),
                    Messages.of('C', 'S' + name + '\0'),
                    Messages.sync());
        }

        // ---- the schedule

        void play() throws Exception {
            for (int step = 0; step < MOST_STEPS; step++) {
                if (!act() && !advance()) {
                    finish();
                    return;
                }
            }
            fail("does not come to an end");
        }

        /** One thing that can happen, if any can. */
        private boolean act() throws Exception {
            List<Runnable> possible = new ArrayList<>();
            for (Peer peer : peers) {
                if (!peer.closed && !peer.gone && (peer.unsent.length > 0 || mayGoOn(peer))) {
                    possible.add(() -> say(peer));
                }
                if (peer.out.size() > 0) {
                    possible.add(() -> takeFrom(peer));
                }
                if (deadly && !peer.gone && random.nextInt(150) == 0) {
                    possible.add(() -> harm(peer));
                }
            }
            for (Wire wire : wires) {
                if (!wire.toBackend.isEmpty() && !wire.dead) {
                    possible.add(() -> serve(wire));
                }
                Peer holder = wire.holder;
                if (wire.backend.out.size() > 0
                        && holder != null
                        && !wire.dead
                        && session(holder).wantsServer()) {
                    possible.add(() -> answer(wire, holder));
                }
                if (deadly && holder != null && !wire.dead && random.nextInt(300) == 0) {
                    possible.add(() -> {
                        wire.dead = true;
                        session(holder).serverGone("it was killed");
                        drainSession(holder);
                    });
                }
            }
            if (!waiting.isEmpty() && !free.isEmpty()) {
                possible.add(this::grant);
            }
            if (!cancels.isEmpty()) {
                possible.add(() -> {
                    Peer peer = cancels.remove(0);
                    session(peer).cancelled();
                    drainSession(peer);
                });
            }
            if (random.nextInt(20) == 0 && peers.stream().allMatch(this::isBetweenRequests)) {
                database.schema++;
            }
            if (possible.isEmpty()) {
                return false;
            }
            possible.get(random.nextInt(possible.size())).run();
            return true;
        }

        /** A table that changes within a request is a matter between client and server. */
        private boolean isBetweenRequests(Peer peer) {
            return !peer.waits || (peer.unsent.length == 0 && session(peer).isIdle());
        }

        /**
         * Whoever uses a table waits for the answer: a statement that has become stale is repeated only while nothing was sent
         * behind it.
         */
        private boolean mayGoOn(Peer peer) {
            return !peer.script.isEmpty() && (!peer.waits || session(peer).isIdle());
        }

        private void say(Peer peer) {
            if (peer.unsent.length == 0) {
                peer.unsent = peer.script.remove(0);
                peer.said.writeBytes(peer.unsent);
                peer.waits = new String(peer.unsent, StandardCharsets.ISO_8859_1).contains("table");
            }
            if (!session(peer).wantsClient()) {
                return;
            }
            int count = 1 + random.nextInt(peer.unsent.length);
            if (random.nextInt(3) == 0) {
                count = peer.unsent.length;
            }
            byte[] piece = Arrays.copyOf(peer.unsent, count);
            peer.unsent = Arrays.copyOfRange(peer.unsent, count, peer.unsent.length);
            peer.in.feed(piece, 0, count);
            session(peer).fromClient();
            peer.in.keep();
            Arrays.fill(piece, (byte) '!'); // nothing may still look at it
            drainSession(peer);
        }

        private void drainSession(Peer peer) {
            Link link = session(peer).link();
            if (link != null && link.out.size() > 0) {
                wireOf(link).toBackend.add(link.out.bytes());
                session(peer).drained();
                drainSession(peer);
            }
        }

        private void takeFrom(Peer peer) {
            peer.got.writeBytes(peer.out.bytes());
            session(peer).drained();
            drainSession(peer);
        }

        private void serve(Wire wire) {
            byte[] piece = wire.toBackend.remove();
            int count = random.nextInt(3) == 0 ? 1 + random.nextInt(piece.length) : piece.length;
            if (count < piece.length) {
                wire.toBackend.addFirst(Arrays.copyOfRange(piece, count, piece.length));
            }
            try {
                wire.backend.receive(Arrays.copyOf(piece, count), 0, count);
            } catch (dev.headgate.protocol.ProtocolException e) {
                throw new AssertionError(e);
            }
        }

        private void answer(Wire wire, Peer holder) {
            byte[] all = wire.backend.out.bytes();
            int count = random.nextInt(3) == 0 ? 1 + random.nextInt(all.length) : all.length;
            byte[] piece = Arrays.copyOf(all, count);
            byte[] left = Arrays.copyOfRange(all, count, all.length);
            wire.backend.out.write(left);
            wire.link.in.feed(piece, 0, count);
            session(holder).fromServer();
            wire.link.in.keep();
            Arrays.fill(piece, (byte) '!');
            drainSession(holder);
        }

        private void harm(Peer peer) {
            Session session = session(peer);
            switch (random.nextInt(6)) {
                case 0 -> session.kill();
                case 1 -> session.stop();
                case 2 -> session.cancel(7);
                case 3 -> {
                    session.leaseNoMore();
                    session.dismiss("deleted");
                }
                default -> {
                    peer.gone = true;
                    session.clientGone();
                }
            }
            drainSession(peer);
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
            session(next).alarm();
            drainSession(next);
            return now < 10_000 * SECOND;
        }

        private void finish() throws Exception {
            if (!deadly) {
                for (Peer peer : peers) {
                    assertThat(session(peer).link() == null
                                    || session(peer).rules.keepsConnection())
                            .isTrue();
                }
                compare();
            }
            for (Peer peer : peers) {
                peer.gone = true;
                session(peer).clientGone();
                drainSession(peer);
            }
            for (int step = 0; step < MOST_STEPS && (act() || advance()); step++) {}
            assertThat(waiting).isEmpty();
            assertThat(wires).hasSize(LINKS).allMatch(wire -> wire.holder == null);
            assertThat(peers).allMatch(peer -> peer.ended);
        }

        /** What was said, played again to a backend of the client's own. */
        private void compare() throws Exception {
            for (Peer peer : peers) {
                FakeBackend direct = new FakeBackend(new FakeBackend.Database());
                if (peer.memory != null) {
                    direct.set("work_mem", peer.memory);
                }
                byte[] said = peer.said.toByteArray();
                direct.receive(said, 0, said.length);
                assertThat(toldTo(peer)).isEqualTo(Messages.read(direct.out.bytes()));
            }
        }

        /** Without the greeting, notices, and what the server reports. */
        private static List<String> toldTo(Peer peer) throws Exception {
            List<String> told = Messages.read(peer.got.toByteArray());
            assertThat(told).as("the greeting").contains("Z:I");
            return told.subList(told.indexOf("Z:I") + 1, told.size()).stream()
                    .filter(each -> !each.startsWith("S:") && !each.startsWith("N:"))
                    .toList();
        }
    }
}
