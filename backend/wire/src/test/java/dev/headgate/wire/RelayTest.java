package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Pool;
import dev.headgate.engine.RelayListener;
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
    private final MemoryAccount memory = new MemoryAccount(1 << 20, RelayLoops.PORTIONS);
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
                Peer.wire("app", "test"),
                new Session.Client(1, 2, "test", UnaryOperator.identity()),
                new Rules(
                        false,
                        false,
                        false,
                        true,
                        false,
                        false,
                        IDLE,
                        IDLE,
                        IDLE,
                        Rules.ROOM,
                        Rules.OWED,
                        Rules.STATEMENTS),
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

    /** Of what everybody may have, nothing is reserved. */
    @Test
    void whatAClientLeavesInItsBuffersIsCountedUntilItGoes() throws IOException {
        receives(500);
        assertThat(buffered()).as("little").isZero();
        receives(2_000);
        assertThat(buffered()).isBetween(2_400L, 6_000L);
        relay.tell(() -> {
            end.in.feed(new byte[498], 0, 498);
            relay.received();
            end.out.write(new byte[10]);
        });
        turn();
        assertThat(asking)
                .as("its message is whole, and waits for a connection")
                .isNotNull();
        relay.tell(relay::gone);
        turn();
        assertThat(memory.reserved()).isZero();
        assertThat(told).containsExactly("given up", "ended");
    }

    /** Bytes of a query of 3,000. */
    private void receives(int count) throws IOException {
        relay.tell(() -> {
            byte[] bytes = new byte[count];
            if (end.in.buffered() == 0 && !end.in.isOpen()) {
                System.arraycopy(new byte[] {'Q', 0, 0, 11, (byte) 0xb5}, 0, bytes, 0, 5);
            }
            end.in.feed(bytes, 0, count);
            relay.received();
        });
        turn();
    }

    private long buffered() {
        return memory.lines().stream()
                .filter(line -> line.holder().equals(RelayLoops.BUFFERS_HOLDER))
                .mapToLong(MemoryAccount.Line::reserved)
                .sum();
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
