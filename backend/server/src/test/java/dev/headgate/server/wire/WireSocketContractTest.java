package dev.headgate.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import dev.headgate.wire.ThreadDump;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Clients of {@code /v2} that vanish. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class WireSocketContractTest {

    private static final String DOMAIN = "vanishing";

    /** Far less than any statement here takes, or the time that a client may stay silent. */
    private static final Duration SOON = Duration.ofSeconds(30);

    private Service service;
    private String password;

    @BeforeAll
    void open() throws IOException {
        service = Service.shared();
        service.domain(DOMAIN, "[]");
        password = service.client(DOMAIN, "app");
    }

    @AfterAll
    void close() {
        service.delete("/domains/" + DOMAIN).expect(204);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneWithAStatementUnderWayLeavesNothing(boolean reset) throws IOException {
        try (Client client = new Client()) {
            client.executes("SELECT pg_sleep(600)", 3);
            await().atMost(Service.PATIENCE).until(() -> leases() == 1);
            client.vanish(reset);
        }
        nothingStays();
    }

    /** Its session owes so many answers that it is not read any more, so nobody sees that it has gone. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneWithMoreUnderWayThanIsReadLeavesNothing(boolean reset) throws IOException {
        try (Client client = new Client()) {
            client.executes("SELECT pg_sleep(600)", 3_000);
            awaitVirtualThread("MessageClient.received");
            client.vanish(reset);
        }
        nothingStays();
    }

    /** Seldom: the JVM may crash in a dump of threads that move (JDK-8364343). */
    private static void awaitVirtualThread(String in) {
        await().atMost(Service.PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> ThreadDump.ofVirtualThreads().contains(in));
    }

    /** A message to it is being sent for as long as it reads nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatHasReadNothingLeavesNothing(boolean reset) throws IOException {
        try (Client client = new Client()) {
            client.executes("SELECT repeat('x', 1000) FROM generate_series(1, 10000000)", 20);
            awaitVirtualThread("sendBinaryMessage");
            client.vanish(reset);
        }
        nothingStays();
    }

    /** Its machine may lose its power. The system asks it after a minute; it keeps a timer of kind 2 for that. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void oneThatIsSilentIsAskedWhetherItIsThere() throws IOException {
        try (Client client = new Client()) {
            String ends = ":%04X [0-9A-F]+:%04X ".formatted(service.root().getPort(), client.socket.getLocalPort());
            await().atMost(SOON)
                    .untilAsserted(
                            () -> { // another timer runs until the client's system has what was sent
                                List<String> sockets = new ArrayList<>();
                                for (String family : List.of("tcp", "tcp6")) {
                                    sockets.addAll(Files.readAllLines(Path.of("/proc/self/net", family)));
                                }
                                assertThat(sockets)
                                        .filteredOn(socket -> Pattern.compile(ends)
                                                .matcher(socket)
                                                .find())
                                        .singleElement()
                                        .asString()
                                        .containsPattern(" 02:0000[01][0-9A-F]{3} "); // hundredths of a second
                            });
        }
        nothingStays();
    }

    private void nothingStays() {
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(leases()).isZero();
            assertThat(service.get("/domains/" + DOMAIN + "/wire-clients")
                            .json()
                            .get("total")
                            .asInt())
                    .isZero();
            for (JsonNode holder : service.get("/memory").json().get("holders")) {
                if (holder.get("holder").asString().matches("wire|buffers")) {
                    assertThat(holder.get("reservedBytes").asLong())
                            .as(holder.toString())
                            .isZero();
                }
            }
            assertThat(ThreadDump.ofVirtualThreads()).doesNotContain("wire-socket-", "MessageClient");
        });
    }

    private int leases() {
        return service.get("/domains/" + DOMAIN + "/leases").json().get("items").size();
    }

    /** One that has logged in. It sends frames without waiting, and reads only until its login. */
    private final class Client implements AutoCloseable {
        private final Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort());

        Client() throws IOException {
            socket.getOutputStream()
                    .write(("GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            frame(message(0, "\0\3\0\0user\0app\0database\0" + DOMAIN + "\0\0"));
            frame(message('p', password + "\0"));
            readUntil("Z\0\0\0\5I");
        }

        private void readUntil(String end) throws IOException {
            StringBuilder text = new StringBuilder();
            while (text.indexOf(end) < 0) {
                int next = socket.getInputStream().read();
                assertThat(next).as(text.toString()).isNotNegative();
                text.append((char) next);
            }
        }

        /** Each statement in a frame of its own. */
        void executes(String sql, int times) throws IOException {
            ByteArrayOutputStream one = new ByteArrayOutputStream();
            one.write(message('P', "\0" + sql + "\0\0\0"));
            one.write(message('B', "\0\0\0\0\0\0\0\0"));
            one.write(message('E', "\0\0\0\0\0"));
            one.write(message('S', ""));
            for (int i = 0; i < times; i++) {
                frame(one.toByteArray());
            }
        }

        /** @param type 0 for none */
        private byte[] message(int type, String body) {
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            if (type != 0) {
                message.write(type);
            }
            int length = 4 + body.length();
            message.writeBytes(new byte[] {0, 0, (byte) (length >> 8), (byte) length});
            message.writeBytes(body.getBytes(StandardCharsets.ISO_8859_1));
            return message.toByteArray();
        }

        /** A binary frame, masked by zeros (RFC 6455, section 5.2). */
        private void frame(byte[] payload) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream frame = new DataOutputStream(bytes);
            frame.writeByte(0x82);
            frame.writeByte(0x80 | 126);
            frame.writeShort(payload.length);
            frame.writeInt(0);
            frame.write(payload);
            socket.getOutputStream().write(bytes.toByteArray());
        }

        /** Without a word of WebSocket's or the wire protocol's. */
        void vanish(boolean reset) throws IOException {
            socket.setSoLinger(reset, 0);
            socket.close();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
