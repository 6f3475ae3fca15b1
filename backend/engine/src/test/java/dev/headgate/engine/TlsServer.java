package dev.headgate.engine;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A PostgreSQL of a test that speaks TLS, with a certificate that nobody signed. */
final class TlsServer {

    private TlsServer() {}

    static PostgresServer start(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        Path certificate = selfSigned(folder);
        return PostgresServer.start(builder -> builder.setServerConfig("ssl", "on")
                .setServerConfig("ssl_cert_file", certificate.toString())
                .setServerConfig("ssl_key_file", folder.resolve("server.key").toString()));
    }

    private static Path selfSigned(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = folder.resolve("server.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=localhost",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool failed");
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(new ByteArrayInputStream(Files.readAllBytes(store)), "changeit".toCharArray());
        pem(
                folder.resolve("server.key"),
                "PRIVATE KEY",
                keys.getKey("server", "changeit".toCharArray()).getEncoded());
        return pem(
                folder.resolve("server.crt"),
                "CERTIFICATE",
                keys.getCertificate("server").getEncoded());
    }

    private static Path pem(Path file, String label, byte[] der) throws IOException {
        String body = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(der);
        Files.writeString(file, "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
}
