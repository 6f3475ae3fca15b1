package dev.headgate.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bad line between real sockets. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BadLineTest {

    private static final int SHORT_MILLIS = 200;

    private ServerSocket server;
    private DelayedLink link;
    private Socket near;
    private Socket far;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        link = new DelayedLink(server.getLocalPort(), Duration.ZERO);
        near = new Socket(InetAddress.getLoopbackAddress(), link.port());
        far = server.accept();
        far.setTcpNoDelay(true);
        near.setTcpNoDelay(true);
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        near.close();
        far.close();
        server.close();
    }

    private void pass(int one) throws IOException {
        near.getOutputStream().write(one);
        assertThat(far.getInputStream().read()).isEqualTo(one);
    }

    @Test
    void aDroppedConnectionEndsAtBothSidesAndTheNextOneWorks() throws IOException {
        pass(1);
        link.drop();
        assertThat(near.getInputStream().read()).isEqualTo(-1);
        assertThat(far.getInputStream().read()).isEqualTo(-1);
        near = new Socket(InetAddress.getLoopbackAddress(), link.port());
        far = server.accept();
        pass(2);
    }

    @Test
    void aResetConnectionFailsAtBothSides() throws IOException {
        pass(1);
        link.reset();
        assertThatThrownBy(() -> near.getInputStream().read())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
        assertThatThrownBy(() -> far.getInputStream().read())
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("reset");
    }

    @Test
    void inABlackHoleBytesVanishAndTheConnectionStays() throws IOException {
        pass(1);
        link.set(Faults.NONE.withBlackHole(true));
        near.getOutputStream().write(2);
        far.setSoTimeout(SHORT_MILLIS);
        assertThatThrownBy(() -> far.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
    }

    /** A TCP stream never goes on past a gap. */
    @Test
    void theEndOfABlackHoleResetsWhatLostBytesAndNothingElse() throws IOException {
        pass(1);
        try (Socket idle = new Socket(InetAddress.getLoopbackAddress(), link.port());
                Socket idleFar = server.accept()) {
            link.set(Faults.NONE.withBlackHole(true));
            near.getOutputStream().write(2);
            await().until(() -> link.traffic().vanished() == 1);
            link.set(Faults.NONE);
            assertThatThrownBy(() -> far.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
            idle.getOutputStream().write(3);
            assertThat(idleFar.getInputStream().read()).isEqualTo(3);
        }
    }

    @Test
    void anEndVanishesInABlackHoleToo() throws IOException {
        link.set(Faults.NONE.withBlackHole(true));
        near.close();
        far.setSoTimeout(SHORT_MILLIS);
        assertThatThrownBy(() -> far.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void aSlowReaderHoldsTheSenderUpInBoundedMemory() throws Exception {
        link.set(Faults.NONE.withBandwidth(1_000));
        AtomicLong sent = new AtomicLong();
        CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
            byte[] bytes = new byte[64 * 1024];
            try {
                while (true) {
                    near.getOutputStream().write(bytes);
                    sent.addAndGet(bytes.length);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        long kernelsAtMost = 64L << 20;
        AtomicLong before = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(SHORT_MILLIS))
                .atMost(Duration.ofSeconds(30))
                .until(() -> sent.get() == before.getAndSet(sent.get()));
        assertThat(sent.get()).isLessThan(kernelsAtMost + DelayedLink.MOST_UNDERWAY);
        assertThat(sender).isNotDone();
        link.close();
        assertThatThrownBy(sender::get).hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void splitJitteredAndNarrowBytesArriveWholeAndInOrder() throws Exception {
        link.set(Faults.NONE.withPieces(7).withJitter(Duration.ofMillis(2), 5).withBandwidth(5_000_000));
        byte[] there = new byte[300_000];
        new Random(1).nextBytes(there);
        CompletableFuture<byte[]> arrived = CompletableFuture.supplyAsync(() -> {
            try {
                return far.getInputStream().readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        near.getOutputStream().write(there);
        near.shutdownOutput();
        assertThat(arrived.get()).isEqualTo(there);
    }

    @Test
    void aNarrowLineDeliversTheBeginningOfAMessageBeforeItsEnd() throws IOException {
        link.set(Faults.NONE.withBandwidth(10_000));
        byte[] message = new byte[20_000]; // takes two seconds in all
        near.getOutputStream().write(message);
        byte[] buffer = new byte[message.length];
        assertThat(far.getInputStream().read(buffer)).isBetween(1, message.length - 1);
    }
}
