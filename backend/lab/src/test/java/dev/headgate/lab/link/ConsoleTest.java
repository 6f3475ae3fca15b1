package dev.headgate.lab.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a user types, between a client and an echo. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ConsoleTest {

    private static final int SHORT_MILLIS = 200;

    private Echo echo;
    private DelayedLink link;
    private Console console;
    private Socket client;

    @BeforeEach
    void open() throws IOException {
        echo = new Echo();
        link = DelayedLink.at(0, new InetSocketAddress(InetAddress.getLoopbackAddress(), echo.port()));
        console = new Console(link);
        connect();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        link.close();
        echo.close();
    }

    private void connect() throws IOException {
        client = new Socket(InetAddress.getLoopbackAddress(), link.port());
        client.setTcpNoDelay(true);
    }

    private void send(int one) throws IOException {
        client.getOutputStream().write(one);
    }

    private int answer() throws IOException {
        return client.getInputStream().read();
    }

    private void assertThatItPasses() throws IOException {
        send(1);
        assertThat(answer()).isEqualTo(1);
    }

    @Test
    void aDelayIsAdded() throws IOException {
        assertThat(console.answer("delay 40ms")).matches("now: delay 40ms \\(measured: [0-9]+\\.[0-9]{3} ms\\)");
        long began = System.nanoTime();
        assertThatItPasses();
        assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(20));
    }

    /** Nobody waits a minute to see that. */
    @Test
    void clearDeliversAtOnceWhatALongDelayHolds() throws IOException {
        assertThat(console.answer("delay 60s")).startsWith("now: delay 60s");
        send(1);
        client.setSoTimeout(SHORT_MILLIS);
        assertThatThrownBy(this::answer).isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout(0);
        assertThat(console.answer("clear")).isEqualTo("now: no delay, no fault");
        assertThat(answer()).isEqualTo(1);
        assertThatItPasses();
    }

    @Test
    void clearDeliversAtOnceWhatANarrowLineHolds() throws IOException {
        console.answer("bandwidth 1B/s");
        byte[] message = new byte[1_000];
        client.getOutputStream().write(message);
        console.answer("clear");
        assertThat(client.getInputStream().readNBytes(message.length)).isEqualTo(message);
    }

    @Test
    void aBlackHoleHoldsAndClearMends() throws IOException {
        assertThatItPasses();
        assertThat(console.answer("black-hole")).isEqualTo("now: black-hole");
        send(2);
        client.setSoTimeout(SHORT_MILLIS);
        assertThatThrownBy(this::answer).isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout(0);
        await().until(() -> link.traffic().vanished() == 1);
        console.answer("clear");
        assertThatThrownBy(this::answer).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        client.close();
        connect();
        assertThatItPasses();
    }

    @Test
    void resetResetsAndTheNextOneIsTaken() throws IOException {
        assertThatItPasses();
        assertThat(console.answer("reset")).isEqualTo("1 connection reset; new ones are taken");
        assertThatThrownBy(this::answer).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        client.close();
        connect();
        assertThatItPasses();
    }

    @Test
    void dropEndsAndTheNextOneIsTaken() throws IOException {
        assertThatItPasses();
        assertThat(console.answer("drop")).isEqualTo("1 connection closed; new ones are taken");
        assertThat(answer()).isEqualTo(-1);
        client.close();
        connect();
        assertThatItPasses();
    }

    @Test
    void faultsAddUpAndEndOneByOne() throws IOException {
        console.answer("jitter 1ms");
        console.answer("pieces 1");
        assertThat(console.answer("bandwidth 1MB/s")).isEqualTo("now: jitter 1ms, bandwidth 1MB/s, pieces 1");
        assertThatItPasses();
        assertThat(console.answer("jitter off")).isEqualTo("now: bandwidth 1MB/s, pieces 1");
    }

    @Test
    void aWrongLineChangesNothing() throws IOException {
        console.answer("pieces 1");
        assertThatThrownBy(() -> console.answer("pieces none")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> console.answer("slower")).isInstanceOf(IllegalArgumentException.class);
        assertThat(console.answer("status")).startsWith("now: pieces 1\n");
    }

    @Test
    void theStatusCountsConnectionsAndBytes() throws IOException {
        client.getOutputStream().write(new byte[] {1, 2, 3});
        assertThat(client.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
        await().until(() -> link.traffic().back() == 3);
        assertThat(console.answer("status"))
                .isEqualTo("now: no delay, no fault\nconnections: 1 open, 1 new; bytes: 3 there, 3 back");
    }

    @Test
    void aTargetThatTakesNoConnectionIsCounted() throws IOException {
        int free;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = taken.getLocalPort();
        }
        try (DelayedLink nowhere = DelayedLink.at(0, new InetSocketAddress(InetAddress.getLoopbackAddress(), free));
                Socket caller = new Socket(InetAddress.getLoopbackAddress(), nowhere.port())) {
            assertThat(caller.getInputStream().read()).isEqualTo(-1);
            assertThat(nowhere.traffic().describe())
                    .isEqualTo("connections: 0 open, 0 new, 1 not taken by the target; bytes: 0 there, 0 back");
        }
    }

    @Test
    void aCalibrationSaysWhatTheLinkAddsByItself() throws IOException {
        assertThat(new Calibration(3_000, new Echo.RoundTrips(31_000, 60_000), new Echo.RoundTrips(92_000, 180_500))
                        .describe())
                .isEqualTo(
                        "By itself a link adds 0.061 ms to a round trip (p99 0.121 ms): 0.031 ms directly (p99 0.060),"
                                + " 0.092 ms through it (p99 0.181), medians of 3,000 round trips of one byte each");
        assertThat(Calibration.measure(100).through().medianNanos()).isPositive();
    }
}
