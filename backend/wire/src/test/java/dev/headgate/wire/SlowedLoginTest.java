package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.wire.auth.ScramVerifier;
import dev.headgate.wire.loop.Loop;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failed logins are told, and those of a slowed address come late, on a loop whose time the test moves. Logins to the console. */
@Timeout(60)
class SlowedLoginTest {

    private final List<String> told = new ArrayList<>();
    private boolean slowed;
    private int asked;
    private final LoginListener logins = new LoginListener() {
        @Override
        public void failed(InetAddress address, String database, String user) {
            told.add(address.getHostAddress() + " " + database + " " + user);
        }

        @Override
        public boolean isSlowed(InetAddress address) {
            asked++;
            return slowed;
        }
    };

    private long now;
    private Loop loop;
    private WirePort port;

    @BeforeEach
    void open() throws IOException {
        Supervisor supervisor = Supervisor.silent();
        loop = Loop.byHand("loop", Selector.open(), () -> now, supervisor);
        MemoryAccount memory = new MemoryAccount(1 << 20, RelayLoops.PORTIONS);
        port = WirePort.open(
                WireSettings.on(InetAddress.getLoopbackAddress(), 0),
                new OnlyConsole(ScramVerifier.of(Port.PASSWORD, new SecureRandom())),
                RelayLoops.of(
                        List.of(loop),
                        new VirtualTime(),
                        new WirePort.LoopLog(),
                        memory,
                        BlockingWork.onVirtualThreads(supervisor)),
                logins,
                supervisor);
    }

    @AfterEach
    void close() {
        port.close(Duration.ZERO);
    }

    @Test
    void aWrongPasswordIsToldWithItsAddressDatabaseAndUser() throws Exception {
        try (RawClient client = new RawClient(port.port())) {
            client.startup(3 << 16, "user", "somebody", "database", WirePort.CONSOLE);
            byte[] first = "SCRAM-SHA-256\0\0\0\0\12n,,n=,r=abc".getBytes(StandardCharsets.US_ASCII);
            turnUntil(() -> client.socket.getInputStream().available() > 0);
            assertThat(client.read().type()).isEqualTo('R');
            client.send('p', first).send('p', "c=biws,r=abc,p=YQ==");
            turnUntil(() -> !told.isEmpty());
            assertThat(told).containsExactly("127.0.0.1 headgate somebody");
        }
    }

    @Test
    void aRightPasswordIsNotTold() throws Exception {
        login().close();
        assertThat(told).isEmpty();
    }

    @Test
    void aSlowedAddressIsAskedForItsPasswordLateAndLetIn() throws Exception {
        slowed = true;
        try (RawClient client = new RawClient(port.port())) {
            client.startup(3 << 16, "user", Port.USER, "database", WirePort.CONSOLE);
            turnUntil(() -> asked == 1);
            now += Host.SLOWED.toNanos() - 1;
            turn();
            assertThat(client.socket.getInputStream().available()).isZero();
            now++;
            turnUntil(() -> client.socket.getInputStream().available() > 0);
            assertThat(client.read().type()).isEqualTo('R');
        }
        CompletableFuture<RawClient> late = begin();
        turnUntil(() -> asked == 2);
        now += Host.SLOWED.toNanos();
        turnUntil(late::isDone);
        late.get().close();
        assertThat(told).isEmpty();
    }

    private RawClient login() throws Exception {
        CompletableFuture<RawClient> login = begin();
        turnUntil(login::isDone);
        return login.get();
    }

    private CompletableFuture<RawClient> begin() {
        CompletableFuture<RawClient> login = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                login.complete(new RawClient(port.port()).login(WirePort.CONSOLE));
            } catch (IOException e) {
                login.completeExceptionally(e);
            }
        });
        return login;
    }

    private void turnUntil(Callable<Boolean> done) {
        await().pollInSameThread().pollInterval(Duration.ofMillis(1)).until(() -> {
            turn();
            return done.call();
        });
    }

    /** A turn that does not wait for a socket. */
    private void turn() throws IOException {
        loop.execute(() -> loop.execute(() -> {}));
        loop.turn();
    }
}
