package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.wire.TestTls.Kind;
import dev.headgate.wire.auth.ScramVerifier;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Logins that are bound to the server's certificate, or should be: to the console, over TLS. */
@Timeout(60)
class ChannelBindingTest {

    private static final String PLAIN = "SCRAM-SHA-256";
    private static final String PLUS = "SCRAM-SHA-256-PLUS";
    private static final String BINDS = "p=tls-server-end-point,,";
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private static TestTls first;
    private static TestTls second;
    private static TestTls edwards;

    private final AtomicInteger failures = new AtomicInteger();
    private final LoginListener logins = new LoginListener() {
        @Override
        public void failed(InetAddress address, String database, String user) {
            failures.incrementAndGet();
        }

        @Override
        public boolean isSlowed(InetAddress address) {
            return false;
        }
    };

    private volatile TlsEngines engines;
    private SSLContext trusting;
    private RelayLoops loops;
    private WirePort port;

    @BeforeAll
    static void make() throws Exception {
        first = TestTls.make();
        second = TestTls.make("RSA", "SHA384withRSA");
        edwards = TestTls.make("Ed25519", "Ed25519");
    }

    @BeforeEach
    void open() throws Exception {
        present(first, Kind.JDK);
        MemoryAccount memory = new MemoryAccount(1 << 20, RelayLoops.PORTIONS);
        loops = RelayLoops.open(1, true, new WirePort.LoopLog(), memory, Supervisor.silent());
        WireSettings usual = WireSettings.on(InetAddress.getLoopbackAddress(), 0);
        port = WirePort.open(
                new WireSettings(
                        usual.address(),
                        0,
                        Optional.of(new TlsEngines() {
                            @Override
                            public SSLEngine create() {
                                return engines.create();
                            }

                            @Override
                            public void release(SSLEngine engine) {
                                ReferenceCountUtil.release(engine); // the port may have others by now
                            }
                        }),
                        usual.loginTimeout(),
                        usual.idleTimeout(),
                        usual.transactionTimeout(),
                        usual.alwaysReset(),
                        usual.showHolder(),
                        1,
                        usual.mostArriving(),
                        usual.connectionsPerAddress(),
                        usual.mostClients(),
                        usual.mostStatements()),
                new OnlyConsole(ScramVerifier.of(Port.PASSWORD, new SecureRandom())),
                loops,
                logins,
                Supervisor.silent());
    }

    @AfterEach
    void close() {
        port.close();
        loops.close();
    }

    /** From now on the port has this certificate. */
    private void present(TestTls tls, Kind kind) throws Exception {
        engines = tls.engines(kind);
        trusting = tls.context();
    }

    /** Again over a TLS session that is resumed. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void aLoginIsBoundToTheCertificate(Kind kind) throws Exception {
        for (TestTls tls : List.of(first, second)) {
            present(tls, kind);
            for (String version : VERSIONS) {
                for (int again = 0; again < 3; again++) {
                    try (RawClient client = secure(version)) {
                        client.login(WirePort.CONSOLE, PLUS, BINDS, endPoint(client));
                    }
                }
            }
        }
        assertThat(failures).hasValue(0);
    }

    @Test
    void bothMechanismsAreOfferedOverTlsAlone() throws Exception {
        try (RawClient client = secure(VERSIONS[0])) {
            assertThat(client.mechanisms(WirePort.CONSOLE)).containsExactly(PLUS, PLAIN);
        }
        try (RawClient client = new RawClient(port.port())) {
            assertThat(client.mechanisms(WirePort.CONSOLE)).containsExactly(PLAIN);
        }
    }

    /** Channel binding is not defined for it. */
    @Test
    void withACertificateByEd25519ThereIsNothingToBindTo() throws Exception {
        present(edwards, Kind.JDK);
        try (RawClient client = secure(VERSIONS[0])) {
            assertThat(client.mechanisms(WirePort.CONSOLE)).containsExactly(PLAIN);
        }
        secure(VERSIONS[0]).login(WirePort.CONSOLE, PLAIN, "y,,").close();
    }

    @Test
    void whoCannotBindIsLetIn() throws Exception {
        secure(VERSIONS[0]).login(WirePort.CONSOLE, PLAIN, "n,,").close();
        new RawClient(port.port()).login(WirePort.CONSOLE, PLAIN, "y,,").close();
        assertThat(failures).hasValue(0);
    }

    @Test
    void whoWasNotToldThatItCouldBindIsRefused() throws Exception {
        assertRefused("28000", "somebody", secure(VERSIONS[0]), PLAIN, "y,,");
        assertThat(failures).hasValue(1);
    }

    @Test
    void aBindingToAnotherCertificateIsRefused() throws Exception {
        byte[] other = endPoint(second.certificate());
        assertRefused("28000", "certificate", secure(VERSIONS[0]), PLUS, BINDS, other);
        assertRefused("28000", "certificate", secure(VERSIONS[0]), PLUS, BINDS);
        assertThat(failures).hasValue(2);
    }

    @Test
    void whatDoesNotFitTheMechanismIsRefused() throws Exception {
        assertRefused("28P01", "", secure(VERSIONS[0]), PLAIN, BINDS);
        assertRefused("28P01", "", secure(VERSIONS[0]), PLUS, "n,,");
        assertRefused("28P01", "", secure(VERSIONS[0]), PLUS, "p=tls-unique,,");
        assertRefused("28000", PLAIN, new RawClient(port.port()), PLUS, BINDS);
    }

    /** A connection is bound to the certificate that it was begun with, whatever the port has by now. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void theCertificateOfTheConnectionCounts(Kind kind) throws Exception {
        present(first, kind);
        try (RawClient before = secure(VERSIONS[0])) {
            present(second, kind);
            try (RawClient after = secure(VERSIONS[0])) {
                after.login(WirePort.CONSOLE, PLUS, BINDS, endPoint(second.certificate()));
            }
            before.login(WirePort.CONSOLE, PLUS, BINDS, endPoint(first.certificate()));
        }
    }

    private static void assertRefused(
            String sqlState, String why, RawClient from, String mechanism, String header, byte... binding)
            throws IOException {
        try (RawClient client = from) {
            assertThatThrownBy(() -> client.login(WirePort.CONSOLE, mechanism, header, binding))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("C" + sqlState + "\0")
                    .hasMessageContaining(why);
        }
    }

    private RawClient secure(String version) throws IOException {
        return RawClient.secure(new Socket(InetAddress.getLoopbackAddress(), port.port()), trusting, version);
    }

    /** As the client sees it. */
    private static byte[] endPoint(RawClient client) throws Exception {
        return endPoint(
                (X509Certificate) ((SSLSocket) client.socket).getSession().getPeerCertificates()[0]);
    }

    private static byte[] endPoint(X509Certificate certificate) throws Exception {
        String hash = certificate.getSigAlgName().startsWith("SHA384") ? "SHA-384" : "SHA-256";
        return MessageDigest.getInstance(hash).digest(certificate.getEncoded());
    }
}
