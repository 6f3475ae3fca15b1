package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.headgate.wire.TestTls.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS between clients and the wire port, by each engine. */
@Timeout(120)
@ParameterizedClass
@EnumSource(Kind.class)
class TlsTest {

    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private static TestTls.Counted engines;
    private static SSLContext trusting;
    private static Port port;

    @Parameter
    Kind kind;

    @BeforeParameterizedClassInvocation
    static void open(Kind kind) throws Exception {
        TestTls tls = TestTls.make();
        engines = tls.engines(kind);
        trusting = tls.context();
        port = new Port(
                2,
                settings -> new WireSettings(
                        settings.address(),
                        0,
                        Optional.of(engines),
                        settings.loginTimeout(),
                        settings.idleTimeout(),
                        settings.transactionTimeout(),
                        settings.alwaysReset(),
                        settings.showHolder(),
                        1,
                        settings.mostArriving(),
                        settings.connectionsPerAddress(),
                        settings.mostClients(),
                        settings.mostStatements()));
    }

    @AfterEach
    void allEnginesAreReleased() {
        await().atMost(Duration.ofSeconds(20)).until(engines::areGone);
        engines.forget();
    }

    @AfterParameterizedClassInvocation
    static void close() throws IOException {
        port.close();
    }

    @Test
    void whatComesByteByByteIsUnderstood() throws IOException {
        for (String version : VERSIONS) {
            try (RawClient client = RawClient.secure(
                            new ChoppedSocket(port.wire.port(), ChoppedSocket::oneByOne), trusting, version)
                    .login("bank")) {
                client.send('Q', "select 1\0");
                assertThat(client.untilReady()).isEqualTo("TDCZI");
                client.send('P', "\0select 2\0\0\0")
                        .send('B', "\0\0\0\0\0\0\0\0")
                        .send('E', "\0\0\0\0\0")
                        .send('S');
                assertThat(client.untilReady()).isEqualTo("12DCZI");
            }
        }
    }

    @Test
    void aRecordMayBeSplitAnywhere() throws IOException {
        for (String version : VERSIONS) {
            ChoppedSocket socket = new ChoppedSocket(port.wire.port(), OutputStream::write);
            try (RawClient client = RawClient.secure(socket, trusting, version).login("bank")) {
                for (int split = 1; split < 60; split++) {
                    int at = split;
                    socket.use((to, bytes, offset, count) -> {
                        int first = Math.min(at, count);
                        to.write(bytes, offset, first);
                        theLoopHasSeenIt();
                        to.write(bytes, offset + first, count - first);
                    });
                    client.send('Q', "select 12345\0");
                    assertThat(client.untilReady()).as("split at %d", split).isEqualTo("TDCZI");
                }
            }
        }
    }

    @Test
    void manyRecordsInOnePieceAreUnderstood() throws IOException {
        for (String version : VERSIONS) {
            ByteBuffer held = ByteBuffer.allocate(1 << 20);
            ChoppedSocket socket = new ChoppedSocket(port.wire.port(), OutputStream::write);
            try (RawClient client = RawClient.secure(socket, trusting, version).login("bank")) {
                socket.use((to, bytes, offset, count) -> held.put(bytes, offset, count));
                for (int i = 0; i < 300; i++) {
                    client.send('Q', "select '" + "x".repeat(900) + "'\0"); // a record each
                }
                socket.use((to, bytes, offset, count) -> {
                    to.write(held.array(), 0, held.position());
                    to.write(bytes, offset, count);
                });
                client.send('Q', "select 'last'\0");
                for (int i = 0; i < 301; i++) {
                    assertThat(client.untilReady()).isEqualTo("TDCZI");
                }
            }
        }
    }

    @Test
    void muchGoesBothWaysToOneWhoReadsSlowly() throws IOException {
        for (String version : VERSIONS) {
            Socket socket = new Socket();
            socket.setReceiveBufferSize(8 * 1024);
            socket.connect(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port.wire.port()));
            try (RawClient client = RawClient.secure(socket, trusting, version).login("bank")) {
                client.send('Q', "select length('" + "y".repeat(1 << 20) + "')\0");
                client.read();
                assertThat(client.read().text()).endsWith("1048576");
                assertThat(client.untilReady()).isEqualTo("CZI");

                client.send('Q', "select repeat('x', 1000) from generate_series(1, 10000)\0");
                await().until(() ->
                        port.pool("bank").connections().stream().anyMatch(each -> each.bytesIn() > 200_000));
                assertThat(client.read().type()).isEqualTo('T');
                for (int i = 0; i < 10_000; i++) {
                    assertThat(client.read().body()).hasSize(1006);
                }
                assertThat(client.untilReady()).isEqualTo("CZI");
            }
        }
    }

    @Test
    void fiftyAtATimeAreServed() throws Exception {
        try (ExecutorService crowd = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                String version = VERSIONS[i % 2];
                int id = i;
                all.add(crowd.submit(() -> {
                    try (RawClient client = secure(version).login("bank")) {
                        for (int n = 0; n < 20; n++) {
                            client.send('Q', "select '" + id + "." + n + "'\0");
                            client.read();
                            assertThat(client.read().text()).endsWith(id + "." + n);
                            assertThat(client.untilReady()).isEqualTo("CZI");
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    @Test
    void whoSpeaksPlainTextAfterAskingForTlsIsRefused() throws IOException {
        try (RawClient client = new RawClient(port.wire.port())) {
            RawClient.askForTls(client.socket);
            client.startup(3 << 16, "user", Port.USER, "database", "bank");
            assertThat(client.in.readAllBytes()).as("at most an alert").hasSizeLessThan(20);
        } catch (SocketException reset) {
            // closed with bytes unread
        }
    }

    @Test
    void plainTextBehindTheWishIsRefused() throws IOException {
        try (RawClient client = new RawClient(port.wire.port())) {
            client.out.writeLong(8L << 32 | 80877103);
            client.startup(3 << 16, "user", Port.USER, "database", "bank");
            assertThat(client.read().text()).contains("before TLS");
        }
    }

    @Test
    void aClientMayStartTlsWithoutAsking() throws Exception {
        for (String version : VERSIONS) {
            try (RawClient client = unasked(version, "h2", TlsEngines.PROTOCOL).login("bank")) {
                assertThat(client.agreed()).isEqualTo(TlsEngines.PROTOCOL);
                client.send('Q', "select 1\0");
                assertThat(client.untilReady()).isEqualTo("TDCZI");
            }
            ChoppedSocket chopped = new ChoppedSocket(port.wire.port(), ChoppedSocket::oneByOne);
            try (RawClient client = RawClient.unasked(chopped, trusting, version, TlsEngines.PROTOCOL)
                    .login("bank")) {
                client.send('Q', "select 1\0");
                assertThat(client.untilReady()).isEqualTo("TDCZI");
            }
        }
        try (Connection driver = port.connect("bank", "sslmode", "require", "sslNegotiation", "direct")) {
            assertThat(driver.isValid(10)).isTrue();
        }
    }

    /** Its login is not begun. */
    @Test
    void whoStartsTlsWithoutAskingMustNameTheProtocol() {
        for (String version : VERSIONS) {
            for (String[] offered : new String[][] {{}, {"h2"}}) {
                assertThatThrownBy(() -> {
                            try (RawClient client = unasked(version, offered)) {
                                client.startup(3 << 16, "user", Port.USER, "database", "bank");
                                client.read();
                            }
                        })
                        .as("%s offers %s", version, List.of(offered))
                        .isInstanceOfAny(SSLException.class, EOFException.class, SocketException.class);
            }
        }
    }

    @Test
    void whoAsksForTlsNeedNotNameTheProtocol() throws Exception {
        for (String version : VERSIONS) {
            try (RawClient client = secure(version).login("bank")) {
                assertThat(client.agreed()).isEmpty();
            }
            try (RawClient client = secure(version, TlsEngines.PROTOCOL).login("bank")) {
                assertThat(client.agreed()).isEqualTo(TlsEngines.PROTOCOL);
            }
        }
    }

    @Test
    void tlsIsStartedOnce() throws Exception {
        try (RawClient client = unasked(VERSIONS[0], TlsEngines.PROTOCOL)) {
            client.out.writeLong(8L << 32 | 80877103);
            client.out.flush();
            assertThat(client.in.read()).isEqualTo('N');
        }
        try (RawClient client = unasked(VERSIONS[0], TlsEngines.PROTOCOL)) {
            client.out.write(hello());
            client.out.flush();
            assertThat(client.in.read()).as("no startup message").isEqualTo(-1);
        }
    }

    @Test
    void aDriverBindsItsLoginToTheCertificate() throws Exception {
        for (String negotiation : List.of("postgres", "direct")) {
            try (Connection driver = port.connect(
                    "bank", "sslmode", "require", "sslNegotiation", negotiation, "channelBinding", "require")) {
                assertThat(driver.isValid(10)).isTrue();
            }
        }
        assertThatThrownBy(() -> port.connect("bank", "channelBinding", "require"))
                .as("without TLS")
                .isInstanceOf(SQLException.class);
    }

    /** And is told so by an alert. */
    @Test
    void anOldVersionIsRefused() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.wire.port())) {
            RawClient.askForTls(socket);
            // ClientHello of TLS 1.0 with one cipher suite
            byte[] hello = new byte[5 + 4 + 41];
            ByteBuffer.wrap(hello)
                    .put(new byte[] {22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 1})
                    .position(5 + 4 + 2 + 32)
                    .put(new byte[] {0, 0, 2, 0, 47, 1, 0});
            socket.getOutputStream().write(hello);
            byte[] answer = socket.getInputStream().readAllBytes();
            assertThat(answer).startsWith(21, 3).hasSize(7);
            assertThat(answer[6]).as("protocol_version").isEqualTo((byte) 70);
        }
    }

    @Test
    void renegotiationIsRefused() throws Exception {
        try (RawClient client = secure("TLSv1.2").login("bank")) {
            client.send('Q', "select 1\0");
            assertThat(client.untilReady()).isEqualTo("TDCZI");
            ((SSLSocket) client.socket).startHandshake();
            assertThatThrownBy(() -> {
                        client.send('Q', "select 1\0");
                        client.untilReady();
                    })
                    .isInstanceOfAny(SSLException.class, EOFException.class, SocketException.class);
        }
    }

    /** Also where it comes with data, and the socket itself stays open. */
    @Test
    void whoSaysGoodbyeIsClosed() throws Exception {
        for (String version : VERSIONS) {
            ByteBuffer held = ByteBuffer.allocate(1 << 16);
            ChoppedSocket socket = new ChoppedSocket(port.wire.port(), OutputStream::write);
            try (RawClient client = RawClient.secure(socket, trusting, version).login("bank")) {
                socket.use((to, bytes, offset, count) -> held.put(bytes, offset, count));
                client.send('H');
                ((SSLSocket) client.socket).shutdownOutput();
                socket.use(OutputStream::write);
                socket.getOutputStream().write(held.array(), 0, held.position());
                assertThat(client.in.read()).as(version).isEqualTo(-1);
            }
        }
    }

    /** The engines' native memory is freed, and no socket stays open. */
    @Test
    void twoThousandConnectsLeaveNothing() throws Exception {
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        secure(VERSIONS[0]).close();
        long before = system.getOpenFileDescriptorCount();
        for (int i = 0; i < (kind == Kind.BORINGSSL ? 2_000 : 400); i++) {
            switch (i % 4) {
                case 0 -> {
                    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.wire.port())) {
                        RawClient.askForTls(socket);
                    }
                }
                case 1 -> sendAPartOfHello(i);
                case 2 -> secure(VERSIONS[i / 4 % 2]).close();
                default -> {
                    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.wire.port());
                    RawClient.secure(socket, trusting, VERSIONS[i / 4 % 2]);
                    socket.setSoLinger(true, 0); // resets the connection
                    socket.close();
                }
            }
        }
        await().atMost(Duration.ofSeconds(20)).until(engines::areGone);
        await().atMost(Duration.ofSeconds(20)).until(() -> system.getOpenFileDescriptorCount() <= before + 10);
        assertThat(port.wire.arrivals().present()).isZero();
        try (RawClient client = secure(VERSIONS[0]).login("bank")) {
            client.send('Q', "select 1\0");
            assertThat(client.untilReady()).isEqualTo("TDCZI");
        }
    }

    /** The last of them all of it, so that the port still computes when the client has gone. Half of them ask for TLS before. */
    private void sendAPartOfHello(int seed) throws IOException {
        byte[] hello = hello();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.wire.port())) {
            if (seed % 8 == 1) {
                RawClient.askForTls(socket);
            }
            int part = seed * 37 % (2 * hello.length);
            socket.getOutputStream().write(hello, 0, Math.min(hello.length, part));
            if (seed % 3 == 0) {
                socket.setSoLinger(true, 0);
            }
        }
    }

    private static byte[] hello() throws IOException {
        SSLEngine engine = trusting.createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    private static RawClient secure(String version, String... offered) throws IOException {
        return RawClient.secure(connected(), trusting, version, offered);
    }

    private static RawClient unasked(String version, String... offered) throws IOException {
        return RawClient.unasked(connected(), trusting, version, offered);
    }

    private static Socket connected() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port.wire.port());
    }

    /** What was sent lies in the socket by now; the loop has asked its selector since. */
    private void theLoopHasSeenIt() throws IOException {
        try {
            for (int i = 0; i < 2; i++) {
                CountDownLatch turned = new CountDownLatch(1);
                port.wire.onLoop(turned::countDown);
                if (!turned.await(20, TimeUnit.SECONDS)) {
                    throw new IOException("the loop stands still");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
