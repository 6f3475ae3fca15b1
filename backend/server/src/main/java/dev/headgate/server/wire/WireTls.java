package dev.headgate.server.wire;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import dev.headgate.wire.TlsEngines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PropertiesSslBundle;
import org.springframework.boot.ssl.SslBundle;

/** The wire port's certificate and key for TLS: from PEM files, or generated in the data folder. */
final class WireTls {

    private static final Logger log = LoggerFactory.getLogger(WireTls.class);

    private WireTls() {}

    /**
     * Empty if no file is named and none is to be generated. Blocks while one is generated.
     *
     * @param data the data folder
     * @throws CannotStart if only one is named, or they cannot be read or made, or do not belong together
     */
    static Optional<TlsEngines> of(HeadgateProperties.Wire wire, Path data) {
        @Nullable Path certificate = wire.tlsCertificate();
        @Nullable Path key = wire.tlsKey();
        if (wire.tlsSelfSigned()) {
            if (certificate != null || key != null) {
                throw new CannotStart(
                        "headgate.wire.tls-self-signed is set beside tls-certificate or tls-key; the wire port has one"
                                + " certificate: set the one or the others.",
                        CannotStart.EXIT_FAILED);
            }
            OwnCertificate own = OwnCertificate.in(data, wire.address());
            certificate = own.certificate();
            key = own.key();
        }
        if (certificate == null && key == null) {
            return Optional.empty();
        }
        PemSslBundleProperties pem = new PemSslBundleProperties();
        pem.getKeystore().setCertificate(readable("tls-certificate", certificate));
        pem.getKeystore().setPrivateKey(readable("tls-key", key));
        pem.getKeystore().setVerifyKeys(true);
        try {
            return Optional.of(engines(PropertiesSslBundle.get(pem)));
        } catch (RuntimeException e) {
            throw new CannotStart(
                    "the wire port cannot use TLS with " + certificate + " and " + key + ": " + rootMessage(e), e);
        }
    }

    /** BoringSSL's engines if it can be used, because it needs about three quarters of the JDK's processor time. */
    private static TlsEngines engines(SslBundle bundle) {
        TlsEngines jdks = TlsEngines.of(bundle.createSslContext()); // makes checks that BoringSSL does not
        try {
            TlsEngines boringSsls = BoringSsl.engines(bundle);
            log.info("The wire port uses BoringSSL for TLS");
            return boringSsls;
        } catch (BoringSsl.UnavailableException e) {
            log.info("The wire port uses the JDK for TLS, not BoringSSL: {}", e.getMessage());
            return jdks;
        }
    }

    /** Whether the port offers TLS with these settings. */
    static boolean isSpoken(HeadgateProperties.Wire wire) {
        return wire.tlsSelfSigned() || wire.tlsCertificate() != null;
    }

    private static String readable(String setting, @Nullable Path file) {
        if (file == null) {
            throw new CannotStart(
                    "headgate.wire." + setting + " is missing; TLS on the wire port needs tls-certificate and tls-key.",
                    CannotStart.EXIT_FAILED);
        }
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new CannotStart(
                    "headgate.wire." + setting + " names " + file + ", which is not a readable file.",
                    CannotStart.EXIT_FAILED);
        }
        return file.toAbsolutePath().toUri().toString();
    }

    private static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
