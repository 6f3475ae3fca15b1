package dev.headgate.server.wire;

import dev.headgate.server.store.CannotStart;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A certificate that vouches for itself, and its key, as PEM files in the data folder: made by the JDK's keytool when one of
 * them is missing, and kept. The key can be read by the owner of the process alone, also while it is made.
 *
 * @param certificate {@code wire-tls.crt}, for clients that verify whom they talk to
 * @param key {@code wire-tls.key}, mode 0600
 */
record OwnCertificate(Path certificate, Path key) {

    private static final Logger log = LoggerFactory.getLogger(OwnCertificate.class);

    private static final String ALIAS = "headgate";
    private static final int DAYS_VALID = 3650;
    private static final long PATIENCE_SECONDS = 60;
    private static final int PASSWORD_BYTES = 24;
    private static final String PASSWORD_VARIABLE = "HEADGATE_KEYTOOL_PASSWORD";

    /**
     * The one in a data folder. Blocks for about a second where it is made.
     *
     * @param address the wire port listens on: the certificate is for it, if it is one, and for this machine
     * @throws CannotStart if it cannot be made
     */
    static OwnCertificate in(Path folder, String address) {
        OwnCertificate own = new OwnCertificate(folder.resolve("wire-tls.crt"), folder.resolve("wire-tls.key"));
        if (Files.exists(own.certificate) && Files.exists(own.key)) {
            return own;
        }
        try {
            Set<String> names = names(address);
            own.make(folder, names);
            log.info("Made a certificate for the wire port: {}, for {}", own.certificate, String.join(", ", names));
            return own;
        } catch (IOException | GeneralSecurityException e) {
            throw cannot(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cannot("interrupted", e);
        }
    }

    private static CannotStart cannot(String why, Exception e) {
        return new CannotStart(
                "the wire port cannot make its own certificate (" + why
                        + "); set headgate.wire.tls-certificate and tls-key.",
                e);
    }

    private void make(Path folder, Set<String> names)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path hidden = Files.createTempDirectory(folder, "wire-tls", only("rwx------"));
        Path store = hidden.resolve("store.p12");
        Path madeKey = hidden.resolve("key");
        Path madeCertificate = hidden.resolve("certificate");
        try {
            String password = password();
            keytool(store, password, names);
            KeyStore made = KeyStore.getInstance(store.toFile(), password.toCharArray());
            Files.createFile(madeKey, only("rw-------"));
            Files.writeString(
                    madeKey,
                    pem(
                            "PRIVATE KEY",
                            made.getKey(ALIAS, password.toCharArray()).getEncoded()));
            Files.writeString(
                    madeCertificate,
                    pem("CERTIFICATE", made.getCertificate(ALIAS).getEncoded()));
            Files.move(madeKey, key, StandardCopyOption.ATOMIC_MOVE);
            Files.move(madeCertificate, certificate, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            for (Path left : List.of(store, madeKey, madeCertificate, hidden)) {
                Files.deleteIfExists(left);
            }
        }
    }

    private static void keytool(Path store, String password, Set<String> names)
            throws IOException, InterruptedException {
        ProcessBuilder keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=headgate",
                        "-ext",
                        "SAN=" + String.join(",", names),
                        "-validity",
                        Integer.toString(DAYS_VALID),
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass:env",
                        PASSWORD_VARIABLE)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        keytool.environment().put(PASSWORD_VARIABLE, password);
        Process process = keytool.start();
        // it says no more than a pipe holds
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("keytool does not end");
        }
        if (process.exitValue() != 0) {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            throw new IOException("keytool ended with " + process.exitValue() + ": " + said.strip());
        }
    }

    /** As keytool takes them: "dns:localhost". */
    static Set<String> names(String address) {
        Set<String> names = new LinkedHashSet<>(List.of("dns:localhost", "ip:127.0.0.1", "ip:::1"));
        if (!address.equals("0.0.0.0") && !address.equals("::")) {
            names.add(name(address));
        }
        try {
            names.add(name(InetAddress.getLocalHost().getHostName()));
        } catch (UnknownHostException e) {
            log.debug("This machine does not know its own name", e);
        }
        names.removeIf(name -> !name.matches("ip:[0-9a-fA-F.:]+|dns:[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?"));
        return names;
    }

    private static String name(String host) {
        return (host.matches("[0-9.]+|.*:.*") ? "ip:" : "dns:") + host;
    }

    private static String password() {
        byte[] bytes = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String pem(String kind, byte[] bytes) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, body, kind);
    }

    private static FileAttribute<?> only(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }
}
