package dev.headgate.server.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A certificate for localhost that vouches for itself, and its key, as PEM files. */
record Certificate(Path certificate, Path key) {

    private static final String ALIAS = "own";
    private static final String PASSWORD = "changeit";

    static Certificate in(Path folder) throws IOException, InterruptedException, GeneralSecurityException {
        return in(folder, "EC");
    }

    static Certificate in(Path folder, String algorithm)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path keys = folder.resolve("keys.p12");
        keytool(keys, algorithm);
        KeyStore store = KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray());
        return new Certificate(
                pem(
                        folder.resolve("own.crt"),
                        "CERTIFICATE",
                        store.getCertificate(ALIAS).getEncoded()),
                pem(
                        folder.resolve("own.key"),
                        "PRIVATE KEY",
                        store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
    }

    static Path pem(Path file, String kind, byte[] bytes) throws IOException {
        return Files.writeString(
                file,
                "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                        .formatted(kind, Base64.getMimeEncoder().encodeToString(bytes), kind));
    }

    /** The JDK makes certificates by its tool alone. */
    private static void keytool(Path keys, String algorithm) throws IOException, InterruptedException {
        String tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        int code = new ProcessBuilder(
                        tool,
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        algorithm,
                        "-dname",
                        "CN=localhost",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        keys.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("keytool ended with " + code);
        }
    }
}
