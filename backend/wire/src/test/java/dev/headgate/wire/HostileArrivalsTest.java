package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.wire.auth.ScramVerifier;
import dev.headgate.wire.auth.ServerEndPoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hostile startup messages, logins and conversations: as messages, and through real sockets. */
@Timeout(3600)
class HostileArrivalsTest {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final ScramVerifier VERIFIER = ScramVerifier.of("secret", RANDOM);

    @Test
    void aLoginRefusesWhatIsNotOne() {
        HostileInputs.play("startup messages and logins", 60_000, random -> {
            try {
                byte[] startup = HostileMessages.startup(random);
                FrameReader in = new FrameReader();
                in.feed(startup, 0, startup.length);
                byte[] body = in.untyped(8, 10_000);
                if (body != null) {
                    Greeting greeting = Greeting.of(0, body);
                    assertThat(greeting.user()).isNotNull();
                }
            } catch (ProtocolException refused) {
                assertThat(refused.sqlState()).hasSize(5);
            }
            try {
                assertThat(login(random)).as("logged in without the password").isFalse();
            } catch (ProtocolException refused) {
                assertThat(refused.sqlState()).hasSize(5);
            }
        });
    }

    private static final ServerEndPoint END_POINT = endPoint();

    private static ServerEndPoint endPoint() {
        try {
            return ServerEndPoint.of(TestTls.make().certificate());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean login(SplittableRandom random) throws ProtocolException {
        Login login = new Login(
                "app",
                Optional.of(VERIFIER),
                VERIFIER,
                RANDOM,
                random.nextBoolean() ? END_POINT : ServerEndPoint.NONE,
                false,
                () -> {});
        FrameWriter out = new FrameWriter(new Buffers());
        String[] firsts = {
            "n,,n=,r=abc",
            "y,,n=,r=abc",
            "n,a=b,n=,r=abc",
            "n,,r=",
            "p=x,,n=,r=a",
            "p=tls-server-end-point,,n=,r=a",
            "n,,m=x,r=a",
            ",,",
            "",
            "n,,n=,r=" + "a".repeat(3000)
        };
        byte[] first = firsts[random.nextInt(firsts.length)].getBytes(StandardCharsets.UTF_8);
        byte[] opening = HostileMessages.typed(
                'p',
                HostileMessages.text(random.nextInt(5) == 0 ? "SCRAM-SHA-256-PLUS" : "SCRAM-SHA-256"),
                HostileMessages.int32(first.length),
                first);
        String[] lasts = {
            "c=biws,r=abc,p=YQ==",
            "c=biws,r=abc,p=",
            "c=biws,r=abc,p=!",
            "p=",
            ",p=",
            "c=biws,r=,p=" + "A".repeat(44),
            "c=,r=,p=x"
        };
        byte[] proof = HostileMessages.typed('p', lasts[random.nextInt(lasts.length)].getBytes(StandardCharsets.UTF_8));
        if (random.nextInt(3) > 0) { // with the server's nonce
            byte[] said = random.nextBoolean() ? opening : HostileMessages.spoilt(opening, random);
            if (take(login, said, out)) {
                return true;
            }
            String answer = new String(out.bytes(), StandardCharsets.UTF_8);
            int at = answer.indexOf("r=");
            if (at >= 0) {
                String nonce = answer.substring(at, answer.indexOf(',', at));
                String last =
                        "c=biws," + nonce + ",p=" + "A".repeat(random.nextInt(60)) + (random.nextBoolean() ? "=" : "");
                proof = HostileMessages.typed('p', last.getBytes(StandardCharsets.UTF_8));
            }
        }
        return take(login, random.nextInt(3) == 0 ? HostileMessages.spoilt(proof, random) : proof, out);
    }

    private static boolean take(Login login, byte[] bytes, FrameWriter out) throws ProtocolException {
        FrameReader in = new FrameReader();
        in.feed(bytes, 0, bytes.length);
        return in.next() && login.take(in, out);
    }

    /**
     * Thousands of connections that begin with nonsense, or log in and go on with it, in the shared mode and at the console.
     * Afterwards the port serves as before, and holds neither a client nor a lease nor a byte.
     */
    @Test
    void thePortServesOnAfterThousandsOfHostileClients() throws Exception {
        List<String> faults = new CopyOnWriteArrayList<>();
        Handler listener = new Handler() {
            @Override
            public void publish(LogRecord told) {
                if (told.getLevel().intValue() >= Level.WARNING.intValue()) {
                    faults.add(told.getLevel() + " " + told.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.headgate");
        logger.addHandler(listener);
        try (Port port = new Port(2)) {
            int threads = Thread.activeCount();
            HostileInputs.play("connections", 800, random -> {
                attack(port, random);
                assertThat(faults).isEmpty();
            });
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                assertThat(port.wire.clients()).isEmpty();
                assertThat(port.pool("bank").status().inUse()).isZero();
                assertThat(port.pool("session").status().inUse()).isZero();
                assertThat(port.memory.reserved()).isZero();
            });
            assertThat(Thread.activeCount()).isLessThan(threads + 20);
            try (Connection client = port.connect("bank");
                    ResultSet row = client.createStatement().executeQuery("select 1")) {
                assertThat(row.next()).isTrue();
            }
            assertThat(faults).isEmpty();
        } finally {
            logger.removeHandler(listener);
        }
    }

    private static void attack(Port port, SplittableRandom random) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.wire.port())) {
            if (random.nextInt(3) == 0) {
                socket.getOutputStream().write(HostileMessages.startup(random));
                socket.getOutputStream().write(HostileMessages.conversation(random));
            } else {
                @SuppressWarnings("resource") // of the same socket
                RawClient client = new RawClient(socket).login(random.nextInt(4) == 0 ? "session" : "bank");
                client.out.write(HostileMessages.conversation(random));
                client.out.flush();
            }
            if (random.nextBoolean()) {
                socket.shutdownOutput();
                socket.setSoTimeout(50);
                socket.getInputStream().readNBytes(10_000);
            }
        } catch (java.net.SocketException | java.net.SocketTimeoutException | java.io.EOFException closed) {
            // it was refused
        }
    }
}
