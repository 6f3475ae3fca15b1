package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.wire.loop.Loop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The timers of clients before any domain. A timer holds its client, so none may be left when the client has gone. */
@Timeout(60)
class ClientTimersTest {

    private static final int CLIENTS = 300;

    /** A loop drops cancelled timers together, once there are some. */
    private static final int FEW = 70;

    private static final byte[] BEGUN = beginningOf(10_000);

    private RelayLoops loops;
    private WirePort port;

    @BeforeEach
    void open() throws Exception {
        MemoryAccount memory = new MemoryAccount(1 << 20, RelayLoops.PORTIONS);
        loops = RelayLoops.open(1, true, new WirePort.LoopLog(), memory, Supervisor.silent());
        port = open(WireSettings.on(InetAddress.getLoopbackAddress(), 0));
    }

    private WirePort open(WireSettings settings) throws IOException {
        return WirePort.open(settings, new OnlyConsole(), loops, LoginListener.NONE, Supervisor.silent());
    }

    @AfterEach
    void close() {
        port.close();
        loops.close();
    }

    /** All but the last byte of a startup message. */
    private static byte[] beginningOf(int length) {
        byte[] message = new byte[length - 1];
        message[2] = (byte) (length >> 8);
        message[3] = (byte) length;
        return message;
    }

    @Test
    void aClientThatVanishesBeforeItsLoginLeavesNoTimer() throws Exception {
        for (int i = 0; i < CLIENTS; i++) {
            MessageClient client = arrive();
            client.received(BEGUN);
            client.gone();
        }
        assertThat(timers()).isLessThan(FEW);
    }

    @Test
    void aClientThatIsSentAwayLeavesNoTimer() throws Exception {
        byte[] noStartup = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < CLIENTS; i++) {
            MessageClient client = arrive();
            client.received(noStartup);
            assertThat(client.send()).as("the end").isEmpty();
        }
        assertThat(timers()).isLessThan(FEW);
    }

    @Test
    void aHandshakeThatWasNotAskedForAndStopsEndsWithTheLoginsTime() throws Exception {
        WireSettings usual = WireSettings.on(InetAddress.getLoopbackAddress(), 0);
        WireSettings hasty = new WireSettings(
                usual.address(),
                0,
                Optional.of(TlsEngines.of(TestTls.make().context())),
                Duration.ofMillis(300),
                usual.idleTimeout(),
                usual.transactionTimeout(),
                usual.alwaysReset(),
                usual.showHolder(),
                1,
                usual.mostArriving(),
                usual.connectionsPerAddress(),
                usual.mostClients(),
                usual.mostStatements());
        try (WirePort tls = open(hasty);
                Socket client = new Socket(InetAddress.getLoopbackAddress(), tls.port())) {
            client.setSoTimeout(20_000);
            client.getOutputStream().write(new byte[] {0x16, 3, 1, 2, 0, 1});
            assertThat(client.getInputStream().readAllBytes())
                    .as("at most an alert")
                    .hasSizeLessThan(20);
            await().until(() -> tls.arrivals().present() == 0);
        }
    }

    private MessageClient arrive() {
        return port.take(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1))
                .orElseThrow();
    }

    private int timers() throws Exception {
        Loop loop = loops.first().loop();
        return onLoop(loop::timers);
    }

    /** After what the loop has been told, and what it has told itself. */
    private <T> T onLoop(Callable<T> question) throws Exception {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Loop loop = loops.first().loop();
        loop.execute(() -> loop.execute(() -> {
            try {
                answer.complete(question.call());
            } catch (Exception e) {
                answer.completeExceptionally(e);
            }
        }));
        return answer.get(20, TimeUnit.SECONDS);
    }
}
