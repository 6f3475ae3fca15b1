package dev.headgate.wire.session;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Effects;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.StatementCatalog;
import dev.headgate.wire.HostileInputs;
import dev.headgate.wire.HostileMessages;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A session that is sent what no client sends, and answered what no server answers. Whatever it is: no exception leaves the
 * session, what the client is told is made of whole messages, and after the client has gone the session ends, has given its
 * connection back, and holds no memory.
 */
@Timeout(3600)
class HostileClientsTest {

    private static final int USUAL = 30_000;
    private static final int SECRET = 7;
    private static final long SECOND = 1_000_000_000L;
    private static final int MOST_ROUNDS = 10_000;

    /** What a server sends, as far as a client may be told. */
    private static final String ANSWERS = "RSKZTDC123sntGHWEINAVvcd";

    @Test
    void aSessionSurvivesWhatAClientSends() {
        HostileInputs.play("messages after the login", USUAL, random -> new World(random, false).play());
    }

    @Test
    void aSessionSurvivesWhatAServerAnswers() {
        HostileInputs.play("answers of a server", USUAL, random -> new World(random, true).play());
    }

    @Test
    void anyTextHasEffects() {
        HostileInputs.play("texts of statements", 100_000, random -> {
            byte[] text = HostileMessages.sql(random).getBytes(StandardCharsets.UTF_8);
            if (random.nextInt(3) == 0) {
                text = HostileMessages.spoilt(text, random);
            }
            Effects effects = Effects.of(text, 0, text.length);
            String replaced = Effects.replaced(
                    new String(text, StandardCharsets.UTF_8), one -> java.util.Optional.of("select 1"));
            if (effects.pinnedBy() == null || replaced == null) {
                throw new AssertionError("no effects");
            }
        });
    }

    private static final class World implements Surroundings {
        private final SplittableRandom random;
        private final boolean hostileServer;
        private final Buffers buffers = new Buffers();
        private final FrameReader in = new FrameReader();
        private final FrameWriter out = new FrameWriter(buffers);
        private final ByteArrayOutputStream told = new ByteArrayOutputStream();
        private final Session session;
        private Link link;
        private FakeBackend backend;
        private boolean serverDied;
        private boolean waits;
        private boolean leased;
        private boolean closed;
        private boolean ended;
        private boolean cancels;
        private long held;
        private long shared;
        private final SharedTexts texts = new SharedTexts(
                bytes -> {
                    shared += bytes;
                    return true;
                },
                bytes -> shared += bytes);
        /** The buffers of its domain. */
        private final boolean full;

        private long now = SECOND;
        private long alarm = Long.MAX_VALUE;

        World(SplittableRandom random, boolean hostileServer) {
            this.random = random;
            this.hostileServer = hostileServer;
            full = random.nextInt(4) == 0;
            link = new Link(Map.of("DateStyle", "ISO"), buffers);
            backend = new FakeBackend(new FakeBackend.Database(), buffers);
            session = new Session(
                    new Session.Client(1, SECRET, "client", name -> name),
                    new Rules(
                            random.nextInt(3) == 0,
                            random.nextInt(6) == 0,
                            random.nextInt(3) == 0,
                            random.nextBoolean(),
                            random.nextInt(4) == 0,
                            random.nextInt(4) == 0,
                            Duration.ZERO,
                            Duration.ofSeconds(60),
                            Duration.ofSeconds(10),
                            Rules.ROOM,
                            Rules.OWED,
                            random.nextInt(4) == 0 ? 1 + random.nextInt(3) : Rules.STATEMENTS),
                    Map.of(),
                    in,
                    out,
                    buffers,
                    new StatementCatalog(4_000),
                    texts,
                    new AtomicLong(),
                    this);
        }

        void play() {
            session.welcome(random.nextBoolean() ? Map.of() : null, reported -> {});
            byte[] said = HostileMessages.conversation(random);
            for (int at = 0; at < said.length && !closed; ) {
                int size = Math.min(said.length - at, random.nextInt(3) == 0 ? 1 + random.nextInt(30) : said.length);
                byte[] piece = Arrays.copyOfRange(said, at, at + size);
                at += size;
                in.feed(piece, 0, size);
                session.fromClient();
                in.keep();
                Arrays.fill(piece, (byte) '!'); // nothing may still look at it
                turn();
                if (random.nextInt(20) == 0) {
                    session.cancel(SECRET);
                }
            }
            turn();
            session.clientGone();
            for (int round = 0; !ended && round < MOST_ROUNDS; round++) {
                turn();
                if (!ended && alarm < Long.MAX_VALUE) {
                    now = Math.max(now, alarm);
                    alarm = Long.MAX_VALUE;
                    session.alarm();
                }
            }
            check(ended, "the session does not end");
            check(shared == 0 && texts.isEmpty(), "a text that nobody holds is kept");
            check(!leased && !waits, "a connection is lost");
            if (!hostileServer) {
                checkTold();
            }
        }

        /** Bytes go to and fro until nothing moves. */
        private void turn() {
            for (int round = 0; round < MOST_ROUNDS; round++) {
                told.writeBytes(out.bytes());
                boolean moved = false;
                if (cancels) {
                    cancels = false;
                    act(backend::cancel);
                    session.cancelled();
                    moved = true;
                }
                if (waits) {
                    grant();
                    moved = true;
                }
                if (leased && link.out.size() > 0) {
                    byte[] sent = link.out.bytes();
                    act(() -> backend.receive(sent, 0, sent.length));
                    moved = true;
                }
                if (leased && backend.isSleeping() && random.nextBoolean()) {
                    act(backend::wake);
                    moved = true;
                }
                if (leased && !serverDied && backend.out.size() > 0) {
                    answer(backend.out.bytes());
                    moved = true;
                }
                if (leased && serverDied) {
                    session.serverGone("it does not understand");
                    moved = true;
                }
                if (session.canGoOn()) {
                    session.drained();
                    moved = true;
                }
                if (!moved) {
                    return;
                }
            }
            throw new AssertionError("nothing comes to rest");
        }

        private void answer(byte[] bytes) {
            byte[] answer = hostileServer && random.nextInt(4) == 0
                    ? random.nextInt(3) == 0
                            ? HostileMessages.joined(bytes, answer())
                            : HostileMessages.spoilt(bytes, random)
                    : bytes;
            if (answer.length > 0) {
                link.in.feed(answer, 0, answer.length);
                session.fromServer();
                link.in.keep();
                Arrays.fill(answer, (byte) '!');
            }
        }

        /** A message that nobody asked the server for. */
        private byte[] answer() {
            return HostileMessages.typed(
                    ANSWERS.charAt(random.nextInt(ANSWERS.length())), HostileMessages.junk(random, 30));
        }

        private void act(Serving serving) {
            try {
                serving.serve();
            } catch (ProtocolException | RuntimeException confused) { // a real one closes the connection, or says so
                serverDied = true;
            }
        }

        private void grant() {
            waits = false;
            if (random.nextInt(20) == 0) {
                session.refused("53300", random.nextBoolean() ? "no lease" : null, "");
            } else {
                leased = true;
                session.leased(link);
            }
        }

        private void checkTold() {
            byte[] stream = told.toByteArray();
            for (int at = 0; at < stream.length; at = Messages.end(stream, at)) {
                char type = (char) (stream[at] & 0xff);
                check(ANSWERS.indexOf(type) >= 0, "the client is told a message of type " + type);
            }
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void lease(String holder) {
            check(!waits && !leased, "asks twice for a connection");
            waits = true;
        }

        @Override
        public void giveUp() {
            check(waits, "gives up what it does not wait for");
            waits = false;
        }

        @Override
        public void release(Link given, boolean fit) {
            check(leased && given == link, "releases what it does not hold");
            leased = false;
            if (!fit || serverDied) {
                serverDied = false;
                link = new Link(Map.of("DateStyle", "ISO"), buffers);
                backend = new FakeBackend(new FakeBackend.Database(), buffers);
            } else if (!hostileServer) {
                check(link.out.size() == 0, "unsent at release");
                check(backend.status() == 'I', "in a transaction at release");
            }
        }

        @Override
        public void cancel(Link of) {
            cancels = true;
        }

        @Override
        public void wakeAt(long nanos) {
            alarm = nanos;
        }

        @Override
        public boolean hold(long bytes) {
            if (random.nextInt(30) == 0) {
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
            check(held >= 0, "gives back memory that it does not hold");
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public boolean isFull() {
            return full;
        }

        @Override
        public void ended() {
            check(!ended, "ends twice");
            ended = true;
        }
    }

    @FunctionalInterface
    private interface Serving {
        void serve() throws ProtocolException;
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
