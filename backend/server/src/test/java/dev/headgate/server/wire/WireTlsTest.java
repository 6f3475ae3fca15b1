package dev.headgate.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WireTlsTest {

    @TempDir
    Path folder;

    @Test
    void withoutFilesThereIsNoTls() {
        assertThat(WireTls.of(wire(null, null))).isEmpty();
    }

    @Test
    void aCertificateWithItsKeyServes() throws Exception {
        keytool();
        assertThat(WireTls.of(wire(certificate(), key("own"))).orElseThrow().getProtocol())
                .isEqualTo("TLS");
    }

    @Test
    void oneFileAloneIsNotEnough() throws Exception {
        keytool();
        assertThatThrownBy(() -> WireTls.of(wire(certificate(), null)))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("headgate.wire.tls-key is missing");
        assertThatThrownBy(() -> WireTls.of(wire(null, key("own"))))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("headgate.wire.tls-certificate is missing");
    }

    @Test
    void filesThatAreNoneStopTheStart() throws Exception {
        keytool();
        Path nowhere = folder.resolve("nowhere.pem");
        assertThatThrownBy(() -> WireTls.of(wire(certificate(), nowhere)))
                .isInstanceOf(CannotStart.class)
                .hasMessage("headgate.wire.tls-key names " + nowhere + ", which is no file that can be read.");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "nothing");
        assertThatThrownBy(() -> WireTls.of(wire(empty, key("own"))))
                .isInstanceOf(CannotStart.class)
                .hasMessageStartingWith("the wire port cannot speak TLS with " + empty);
        assertThatThrownBy(() -> WireTls.of(wire(certificate(), empty))).isInstanceOf(CannotStart.class);
    }

    @Test
    void aKeyOfAnotherCertificateStopsTheStart() throws Exception {
        keytool();
        KeyPair other = KeyPairGenerator.getInstance("EC").generateKeyPair();
        Path key = pem("other.pem", "PRIVATE KEY", other.getPrivate().getEncoded());
        assertThatThrownBy(() -> WireTls.of(wire(certificate(), key)))
                .isInstanceOf(CannotStart.class)
                .hasMessageContaining("other.pem");
    }

    private static HeadgateProperties.Wire wire(@Nullable Path certificate, @Nullable Path key) {
        return new HeadgateProperties.Wire(
                true, "127.0.0.1", 0, certificate, key, Duration.ZERO, Duration.ZERO, Duration.ZERO, false);
    }

    /** The JDK makes certificates by its tool alone. */
    private void keytool() throws IOException, InterruptedException {
        int code = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "own",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        folder.resolve("keys.p12").toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        assertThat(code).isZero();
    }

    private Path certificate() throws Exception {
        return pem("own.crt", "CERTIFICATE", keys().getCertificate("own").getEncoded());
    }

    private Path key(String alias) throws Exception {
        return pem(
                alias + ".pem",
                "PRIVATE KEY",
                keys().getKey(alias, "changeit".toCharArray()).getEncoded());
    }

    private KeyStore keys() throws Exception {
        return KeyStore.getInstance(folder.resolve("keys.p12").toFile(), "changeit".toCharArray());
    }

    private Path pem(String name, String kind, byte[] bytes) throws IOException {
        return Files.writeString(
                folder.resolve(name),
                "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + kind
                        + "-----\n");
    }
}
