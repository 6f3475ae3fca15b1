package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Pool;
import dev.headgate.engine.RelayListener;
import dev.headgate.engine.Requester;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.wire.loop.Loop;
import dev.headgate.wire.session.Rules;
import dev.headgate.wire.session.Session;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A defect in a session, wherever it shows, ends that session. On a loop by hand, before a pool that only takes requests. */
class RelayTest {

    private static final Duration IDLE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final List<String> told = new ArrayList<>();
    private final MemoryAccount memory =
            new MemoryAccount(1 << 20, List.of(new MemoryAccount.Portion(RelayLoops.HOLDER, 0, 1, 0.5, 0.25)));
    private final End end = new End();
    private Selector selector;
    private Loop loop;
    private Relay relay;
    private @Nullable Executor executor;
    private @Nullable RelayListener asking;

    /** A client that takes everything, until its handling is broken. */
    private static final class End implements ClientEnd {
        final FrameReader in = new FrameReader();
        final FrameWriter out = new FrameWriter(new Buffers());
        boolean broken;
        boolean closed;

        @Override
        public FrameReader in() {
            return in;
        }

        @Override
        public FrameWriter out() {
            return out;
        }

        @Override
        public void settle() {
            if (broken) {
                throw new IllegalStateException("a defect");
            }
            out.bytes();
        }

        @Override
        public void close() {}

        @Override
        public void closeNow() {
            closed = true;
        }
    }

    @BeforeEach
    void begin() throws IOException {
        selector = Selector.open();
        Supervisor supervisor = new Supervisor(
                time::now, failure -> told.add(String.valueOf(failure.cause().getMessage())));
        loop = Loop.byHand("loop", selector, time::nanoTime, supervisor);
        RelayLoop home =
                new RelayLoop(loop, new AtomicLong(), new ReportedParameters(), memory, (task, thread, work) -> {});
        relay = home.relay(
                end,
                new Peer(Requester.Kind.WIRE, "app", "test"),
                new Session.Client(1, 2, "test", UnaryOperator.identity()),
                new Rules(false, false, false, true, false, false, IDLE, IDLE, IDLE, Rules.ROOM),
                Map.of(),
                pool(),
                () -> told.add("ended"));
        relay.tell(() -> relay.session().welcome(Map.of(), reported -> {}));
        turn();
    }

    @AfterEach
    void close() throws IOException {
        selector.close();
    }

    /** It answers no request. */
    private Pool pool() {
        return (Pool) Proxy.newProxyInstance(
                Pool.class.getClassLoader(),
                new Class<?>[] {Pool.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "domain" -> "bank";
                    case "relay" -> {
                        executor = (Executor) arguments[1];
                        asking = (RelayListener) arguments[2];
                        yield (Runnable) () -> told.add("given up");
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    /** Without waiting in the selector. */
    private void turn() throws IOException {
        loop.execute(() -> loop.execute(() -> {}));
        loop.turn();
    }

    private void asks() throws IOException {
        relay.tell(() -> {
            end.in.feed(new byte[] {'Q', 0, 0, 0, 6, ';', 0}, 0, 7);
            relay.session().fromClient();
        });
        turn();
        assertThat(asking).isNotNull();
    }

    private void assertGivenUp(String... expected) {
        assertThat(told).containsExactly(expected);
        assertThat(end.closed).isTrue();
        assertThat(memory.reserved()).isZero();
    }

    @Test
    void anEventThatThrowsEndsItsSession() throws IOException {
        relay.tell(() -> {
            throw new IllegalStateException("a defect");
        });
        turn();
        assertGivenUp("a defect", "ended");
    }

    @Test
    void aDeadlineThatThrowsEndsItsSession() throws IOException {
        time.advance(IDLE.toNanos() / 2);
        relay.tell(() -> relay.session().drained()); // so that it comes too early, and is set again
        turn();
        end.broken = true;
        time.advance(IDLE.toNanos() / 2 + 1_000_000);
        turn();
        assertGivenUp("a defect", "ended");
    }

    @Test
    void aLeaseThatThrowsEndsItsSession() throws IOException {
        asks();
        Objects.requireNonNull(executor).execute(() -> {
            throw new IllegalStateException("a defect");
        });
        turn();
        assertGivenUp("a defect", "given up", "ended");
    }
}
