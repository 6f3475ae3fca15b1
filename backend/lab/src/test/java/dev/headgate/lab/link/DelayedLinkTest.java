package dev.headgate.lab.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class DelayedLinkTest {

    private static final Duration DELAY = Duration.ofMillis(20);

    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private Socket connect(DelayedLink link) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), link.port());
    }

    @Test
    void bytesArriveWholeAndInOrderBothWays() throws Exception {
        byte[] there = new byte[1_000_000];
        byte[] back = new byte[300_000];
        new Random(1).nextBytes(there);
        new Random(2).nextBytes(back);
        try (DelayedLink link = new DelayedLink(server.getLocalPort(), DELAY);
                Socket near = connect(link);
                Socket far = server.accept()) {
            CompletableFuture<byte[]> arrived = CompletableFuture.supplyAsync(() -> all(far));
            CompletableFuture<byte[]> returned = CompletableFuture.supplyAsync(() -> all(near));
            far.getOutputStream().write(back);
            far.shutdownOutput();
            near.getOutputStream().write(there);
            near.shutdownOutput();
            assertThat(arrived.get()).isEqualTo(there);
            assertThat(returned.get()).isEqualTo(back);
        }
    }

    private static byte[] all(Socket socket) {
        try {
            return socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void noByteArrivesBeforeItsDelay() throws Exception {
        try (DelayedLink link = new DelayedLink(server.getLocalPort(), DELAY);
                Socket near = connect(link);
                Socket far = server.accept()) {
            for (int i = 0; i < 5; i++) {
                long sent = System.nanoTime();
                near.getOutputStream().write(i);
                assertThat(far.getInputStream().read()).isEqualTo(i);
                assertThat(System.nanoTime() - sent).isGreaterThanOrEqualTo(DELAY.toNanos());
                sent = System.nanoTime();
                far.getOutputStream().write(i);
                assertThat(near.getInputStream().read()).isEqualTo(i);
                assertThat(System.nanoTime() - sent).isGreaterThanOrEqualTo(DELAY.toNanos());
            }
        }
    }

    @Test
    void bytesThatAreSentTogetherAreUnderwayTogether() throws Exception {
        Duration halfway = Duration.ofMillis(400);
        int messages = 50;
        try (DelayedLink link = new DelayedLink(server.getLocalPort(), halfway);
                Socket near = connect(link);
                Socket far = server.accept()) {
            near.setTcpNoDelay(true);
            long sent = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                near.getOutputStream().write(i);
            }
            InputStream in = far.getInputStream();
            for (int i = 0; i < messages; i++) {
                assertThat(in.read()).isEqualTo(i);
            }
            assertThat(System.nanoTime() - sent).isLessThan(messages * halfway.toNanos() / 10);
        }
    }

    @Test
    void theEndOfOneSideReachesTheOther() throws Exception {
        try (DelayedLink link = new DelayedLink(server.getLocalPort(), DELAY);
                Socket near = connect(link);
                Socket far = server.accept()) {
            far.close();
            assertThat(near.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void closingEndsItsConnections() throws Exception {
        try (DelayedLink link = new DelayedLink(server.getLocalPort(), DELAY);
                Socket _ = connect(link);
                Socket far = server.accept()) {
            link.close();
            assertThat(far.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aThreadThatFailsEndsTheWholeLink() throws Exception {
        try (DelayedLink link = DelayedLink.at(0, null); // connecting to nothing is a fault
                Socket near = connect(link)) {
            assertThat(near.getInputStream().read()).isEqualTo(-1);
            assertThat(serves(link)).isFalse();
        }
    }

    /** The system may take a connection while the listener closes, and ends it with it. */
    private boolean serves(DelayedLink link) {
        try (Socket late = connect(link)) {
            return late.getInputStream().read() != -1;
        } catch (IOException refused) {
            return false;
        }
    }

    @Test
    void calibrationSaysWhatIsAdded() throws Exception {
        try (DelayedLink link = DelayedLink.to(server.getLocalPort(), DELAY)) {
            assertThat(link.added()).isCloseTo(DELAY, DELAY.dividedBy(5));
        }
    }

    /** The first trial may run slower than all that follow, so one correction is too much. */
    @Test
    void calibrationCorrectsUntilTheLinkAddsWhatIsWished() throws Exception {
        AtomicInteger trials = new AtomicInteger();
        DelayedLink.Delay found = DelayedLink.Delay.nearest(
                190_000, oneWayNanos -> 20_000 + 2 * oneWayNanos + (trials.getAndIncrement() == 0 ? 140_000 : 0));
        assertThat(found).isEqualTo(new DelayedLink.Delay(85_000, Duration.ofNanos(190_000)));
        assertThat(trials).hasValue(3);
    }

    @Test
    void calibrationTakesTheNearestWhereNoneIsNear() throws Exception {
        Iterator<Long> added =
                List.of(400_000L, 100_000L, 300_000L, 150_000L, 90_000L).iterator();
        DelayedLink.Delay found = DelayedLink.Delay.nearest(200_000, _ -> added.next());
        assertThat(found.added()).isEqualTo(Duration.ofNanos(150_000));
    }
}
