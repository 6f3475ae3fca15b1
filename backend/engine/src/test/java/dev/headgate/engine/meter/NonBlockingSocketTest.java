package dev.headgate.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.Await;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The socket alone, with a peer in the test. */
@Timeout(30)
class NonBlockingSocketTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private NonBlockingSocket socket;
    private Socket peer;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            socket = new NonBlockingSocket();
            socket.connect(listening.getLocalSocketAddress(), 1_000);
            peer = listening.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        peer.close();
    }

    @Test
    void keepsWhatItReadsWhileItLooksForTheEnd() throws Exception {
        assertThat(socket.hasEnded()).isFalse();
        peer.getOutputStream().write("first ".getBytes(StandardCharsets.US_ASCII));
        Await.until("it is there", SOON, () -> socket.getInputStream().available() == 6);
        assertThat(socket.hasEnded()).isFalse();
        peer.getOutputStream().write("and last".getBytes(StandardCharsets.US_ASCII));
        peer.close();
        Await.until("the end", SOON, socket::hasEnded);
        assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                .isEqualTo("first and last");
        assertThat(socket.tryRead(new byte[1], 0, 1)).isEqualTo(-1);
    }

    @Test
    void doesNotTakeAPeerThatTalksForOneThatHasEnded() throws Exception {
        peer.getOutputStream().write(new byte[5_000]);
        Await.until("some of it is there", SOON, () -> socket.getInputStream().available() > 0);
        assertThat(socket.hasEnded()).isFalse();
        assertThat(socket.getInputStream().readNBytes(5_000)).hasSize(5_000);
    }

    @Test
    void aPeerThatResetsHasEnded() throws Exception {
        peer.setSoLinger(true, 0);
        peer.close();
        Await.until("the end", SOON, socket::hasEnded);
    }

    @Test
    void aStreamWaitsUntilThereIsRoomAndKeepsTheOrder() throws Exception {
        byte[] much = new byte[10_000_000];
        for (int i = 0; i < much.length; i++) {
            much[i] = (byte) ((i * 31) >> 3);
        }
        int taken = socket.tryWrite(much, 0, much.length);
        assertThat(taken).isBetween(1, much.length - 1);
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                socket.getOutputStream().write(much, taken, much.length - taken);
                socket.shutdownOutput();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(Arrays.equals(peer.getInputStream().readAllBytes(), much)).isTrue();
        writer.join();
    }

    @Test
    void whatTlsCouldNotSendGoesBeforeWhatComesAfter() throws Exception {
        byte[] much = new byte[10_000_000];
        Arrays.fill(much, (byte) 1);
        socket.relaying(true);
        socket.getOutputStream().write(much);
        socket.relaying(false);
        assertThat(socket.flushUnsent()).isFalse();
        assertThat(socket.tryWrite(new byte[] {2}, 0, 1)).isZero();
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                socket.getOutputStream().write(2);
                socket.shutdownOutput();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        byte[] all = peer.getInputStream().readAllBytes();
        writer.join();
        assertThat(all).hasSize(much.length + 1);
        assertThat(all[much.length - 1]).isEqualTo((byte) 1);
        assertThat(all[much.length]).isEqualTo((byte) 2);
    }

    @Test
    void aConnectThatFailsClosesTheSocketAndSaysWhy() throws Exception {
        int port;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = taken.getLocalPort();
        }
        NonBlockingSocket refused = new NonBlockingSocket();
        assertThatThrownBy(() -> refused.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000))
                .isInstanceOf(ConnectException.class);
        assertThat(refused.isClosed()).isTrue();
        NonBlockingSocket nowhere = new NonBlockingSocket();
        assertThatThrownBy(() -> nowhere.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1), 1_000))
                .isInstanceOf(UnknownHostException.class);
        assertThat(nowhere.isClosed()).isTrue();
    }
}
