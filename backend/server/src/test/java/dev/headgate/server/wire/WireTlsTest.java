package dev.headgate.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import dev.headgate.wire.TlsEngines;
import io.netty.handler.ssl.OpenSslEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class WireTlsTest {

    @TempDir
    Path folder;

    private Path certificate = Path.of("");
    private Path key = Path.of("");

    @BeforeEach
    void make() throws Exception {
        Certificate made = Certificate.in(folder);
        certificate = made.certificate();
        key = made.key();
    }

    @Test
    void withoutFilesThereIsNoTls() {
        assertThat(WireTls.of(wire(null, null), folder)).isEmpty();
    }

    @Test
    void aCertificateWithItsKeyServes() {
        TlsEngines engines = WireTls.of(wire(certificate, key), folder).orElseThrow();
        SSLEngine engine = engines.create();
        assertThat(engine).isInstanceOf(OpenSslEngine.class);
        assertThat(engine.getUseClientMode()).isFalse();
        assertThat(engine.getEnabledProtocols()).contains("TLSv1.2", "TLSv1.3").doesNotContain("TLSv1", "TLSv1.1");
        engines.release(engine);
        assertThat(((OpenSslEngine) engine).refCnt()).isZero();
    }

    @Test
    void aKeyThatBoringSslDoesNotSignWithServesByTheJdk() throws Exception {
        Certificate edwards = Certificate.in(Files.createDirectory(folder.resolve("edwards")), "Ed25519");
        TlsEngines engines =
                WireTls.of(wire(edwards.certificate(), edwards.key()), folder).orElseThrow();
        SSLEngine engine = engines.create();
        assertThat(engine).isNotInstanceOf(OpenSslEngine.class);
        assertThat(engine.getUseClientMode()).isFalse();
        engines.release(engine);
    }

    @Test
    void oneFileAloneIsNotEnough() {
        assertThatThrownBy(() -> WireTls.of(wire(certificate, null), folder))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("headgate.wire.tls-key is missing");
        assertThatThrownBy(() -> WireTls.of(wire(null, key), folder))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("headgate.wire.tls-certificate is missing");
    }

    @Test
    void filesThatAreNoneStopTheStart() throws Exception {
        Path nowhere = folder.resolve("nowhere.pem");
        assertThatThrownBy(() -> WireTls.of(wire(certificate, nowhere), folder))
                .isInstanceOf(CannotStart.class)
                .hasMessage("headgate.wire.tls-key names " + nowhere + ", which is not a readable file.");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "nothing");
        assertThatThrownBy(() -> WireTls.of(wire(empty, key), folder))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("the wire port cannot use TLS with " + empty);
        assertThatThrownBy(() -> WireTls.of(wire(certificate, empty), folder)).isInstanceOf(CannotStart.class);
    }

    @Test
    void aKeyOfAnotherCertificateStopsTheStart() throws Exception {
        KeyPair other = KeyPairGenerator.getInstance("EC").generateKeyPair();
        Path othersKey = Certificate.pem(
                folder.resolve("other.key"), "PRIVATE KEY", other.getPrivate().getEncoded());
        assertThatThrownBy(() -> WireTls.of(wire(certificate, othersKey), folder))
                .isInstanceOf(CannotStart.class)
                .hasMessageContaining("other.key");
    }

    @Test
    void oneOfItsOwnIsMadeOnceAndItsKeyIsForNobodyElse() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        log.start();
        root.addAppender(log);
        try {
            assertThat(WireTls.of(wire(null, null, true), folder)).isPresent();
        } finally {
            root.detachAppender(log);
        }
        Path ownKey = folder.resolve("wire-tls.key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(ownKey)))
                .isEqualTo("rw-------");
        String keyText = Files.readString(ownKey);
        assertThat(keyText).startsWith("-----BEGIN PRIVATE KEY-----");
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anySatisfy(message -> assertThat(message).contains("wire-tls.crt", "ip:127.0.0.1"))
                .noneSatisfy(message ->
                        assertThat(message).contains(keyText.lines().toList().get(1)));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .as("nothing else is left")
                    .containsExactlyInAnyOrder("keys.p12", "own.crt", "own.key", "wire-tls.crt", "wire-tls.key");
        }

        String certificateText = Files.readString(folder.resolve("wire-tls.crt"));
        assertThat(WireTls.of(wire(null, null, true), folder)).isPresent();
        assertThat(Files.readString(ownKey)).isEqualTo(keyText);
        assertThat(Files.readString(folder.resolve("wire-tls.crt"))).isEqualTo(certificateText);

        Files.delete(ownKey);
        assertThat(WireTls.of(wire(null, null, true), folder)).isPresent();
        assertThat(Files.readString(ownKey)).isNotEqualTo(keyText);
    }

    @Test
    void oneOfItsOwnBesideAnotherStopsTheStart() {
        assertThatThrownBy(() -> WireTls.of(wire(certificate, key, true), folder))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("headgate.wire.tls-self-signed is set beside tls-certificate or tls-key");
        assertThat(folder.resolve("wire-tls.key")).doesNotExist();
    }

    @Test
    void aFolderThatCannotBeWrittenStopsTheStart() {
        assertThatThrownBy(() -> WireTls.of(wire(null, null, true), folder.resolve("nowhere")))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("the wire port cannot make its own certificate (");
    }

    @Test
    void oneOfItsOwnIsForTheMachineAndTheAddressThatIsListenedOn() {
        assertThat(OwnCertificate.names("192.0.2.7")).contains("dns:localhost", "ip:127.0.0.1", "ip:192.0.2.7");
        assertThat(OwnCertificate.names("db.example.org")).contains("dns:db.example.org");
        assertThat(OwnCertificate.names("0.0.0.0")).doesNotContain("ip:0.0.0.0");
        assertThat(OwnCertificate.names("not,a:name;")).noneMatch(name -> name.contains("not"));
    }

    private static HeadgateProperties.Wire wire(@Nullable Path certificate, @Nullable Path key) {
        return wire(certificate, key, false);
    }

    private static HeadgateProperties.Wire wire(@Nullable Path certificate, @Nullable Path key, boolean selfSigned) {
        return new HeadgateProperties.Wire(
                true,
                "127.0.0.1",
                0,
                certificate,
                key,
                selfSigned,
                Duration.ofSeconds(15),
                Duration.ZERO,
                Duration.ZERO,
                false,
                false,
                null,
                true,
                1_000,
                900,
                10_000);
    }
}
