package dev.headgate.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        assertThat(WireTls.of(wire(null, null))).isEmpty();
    }

    @Test
    void aCertificateWithItsKeyServes() {
        assertThat(WireTls.of(wire(certificate, key)).orElseThrow().getProtocol())
                .isEqualTo("TLS");
    }

    @Test
    void oneFileAloneIsNotEnough() {
        assertThatThrownBy(() -> WireTls.of(wire(certificate, null)))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("headgate.wire.tls-key is missing");
        assertThatThrownBy(() -> WireTls.of(wire(null, key)))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("headgate.wire.tls-certificate is missing");
    }

    @Test
    void filesThatAreNoneStopTheStart() throws Exception {
        Path nowhere = folder.resolve("nowhere.pem");
        assertThatThrownBy(() -> WireTls.of(wire(certificate, nowhere)))
                .isInstanceOf(CannotStart.class)
                .hasMessage("headgate.wire.tls-key names " + nowhere + ", which is no file that can be read.");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "nothing");
        assertThatThrownBy(() -> WireTls.of(wire(empty, key)))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("the wire port cannot speak TLS with " + empty);
        assertThatThrownBy(() -> WireTls.of(wire(certificate, empty))).isInstanceOf(CannotStart.class);
    }

    @Test
    void aKeyOfAnotherCertificateStopsTheStart() throws Exception {
        KeyPair other = KeyPairGenerator.getInstance("EC").generateKeyPair();
        Path othersKey = Certificate.pem(
                folder.resolve("other.key"), "PRIVATE KEY", other.getPrivate().getEncoded());
        assertThatThrownBy(() -> WireTls.of(wire(certificate, othersKey)))
                .isInstanceOf(CannotStart.class)
                .hasMessageContaining("other.key");
    }

    private static HeadgateProperties.Wire wire(@Nullable Path certificate, @Nullable Path key) {
        return new HeadgateProperties.Wire(
                true, "127.0.0.1", 0, certificate, key, Duration.ZERO, Duration.ZERO, Duration.ZERO, false, false);
    }
}
