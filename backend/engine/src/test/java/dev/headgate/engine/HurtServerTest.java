package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.connect.Target;
import dev.headgate.engine.meter.ConnectionStatus;
import java.io.ByteArrayInputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that hang, restart, or speak TLS. */
@Timeout(90)
class HurtServerTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void aHungBackendCostsItsOwnCallerTheSocketTimeoutAndNobodyElseAnything() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Database database =
                    engine.open(server.target("main", 5).withTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(2)));
            Pool pool = database.open("bank", Fixed.set(1, 2, 2));
            Lease victim = pool.acquire(LeaseRequest.by("victim"));
            int pid = connection(pool, victim).backendPid();
            signal("STOP", pid);
            try {
                long began = System.nanoTime();
                assertThatThrownBy(() -> select(victim)).isInstanceOf(SQLException.class);
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .isBetween(Duration.ofMillis(1_500), Duration.ofSeconds(10));
                victim.close();
                try (Lease other = pool.acquire(LeaseRequest.by("other"))) {
                    assertThat(select(other)).isEqualTo(1);
                }
            } finally {
                signal("CONT", pid);
            }
            Await.until("two connections again", SOON, () -> pool.status().idle() == 2);
        }
    }

    @Test
    void healsWhenTheServerComesBack(@TempDir Path folder) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        PostgresServer first = start(folder, port);
        try (Engine engine = Engine.start("test", EngineListener.NONE)) {
            Pool pool = engine.open(first.target("main", 5)).open("bank", Fixed.set(1, 2, 4));
            try (Lease lease = pool.acquire(LeaseRequest.by("before"))) {
                assertThat(select(lease)).isEqualTo(1);
            }
            first.close();
            assertThatThrownBy(() -> {
                        try (Lease lease = pool.acquire(new LeaseRequest("during", 300_000_000))) {
                            select(lease);
                        }
                    })
                    .isInstanceOf(SQLException.class);
            try (PostgresServer second = start(folder, port)) {
                Await.until("it works again", SOON, () -> {
                    try (Lease lease = pool.acquire(new LeaseRequest("after", 500_000_000))) {
                        return select(lease) == 1;
                    } catch (SQLException e) {
                        return false;
                    }
                });
                Await.until("the floor again", SOON, () -> second.backendsOf("bank") == 2);
                assertThat(pool.status().inUse()).isZero();
            }
        } finally {
            first.close();
        }
    }

    private static PostgresServer start(Path folder, int port) {
        return PostgresServer.start(builder -> builder.setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .setPort(port));
    }

    @Test
    void metersAboveTlsAndVerifiesTheServer(@TempDir Path folder) throws Exception {
        Path certificate = selfSigned(folder);
        try (PostgresServer server = PostgresServer.start(builder -> builder.setServerConfig("ssl", "on")
                        .setServerConfig("ssl_cert_file", certificate.toString())
                        .setServerConfig(
                                "ssl_key_file", folder.resolve("server.key").toString()));
                Engine engine = Engine.start("test", EngineListener.NONE)) {
            Target target = server.target("main", 5).withSslMode(Target.SslMode.REQUIRE);
            Pool pool = engine.open(target).open("bank", Fixed.set(1, 1, 1));
            try (Lease lease = pool.acquire(LeaseRequest.by("teller"))) {
                long before = connection(pool, lease).requests();
                try (Statement statement = lease.connection().createStatement();
                        ResultSet row =
                                statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
                    row.next();
                    assertThat(row.getBoolean(1)).isTrue();
                }
                assertThatThrownBy(() -> execute(lease, "SELECT no_such_column"))
                        .isInstanceOf(SQLException.class);
                ConnectionStatus status = connection(pool, lease);
                assertThat(status.requests() - before).isEqualTo(2);
                assertThat(status.errors()).isEqualTo(1);
                assertThat(status.bytesIn()).isPositive();
            }
            assertThatThrownBy(() -> Engine.probe(server.target("strict", 5).withSslMode(Target.SslMode.VERIFY_FULL)))
                    .isInstanceOf(SQLException.class);
        }
    }

    private static Path selfSigned(Path folder) throws Exception {
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
        assertThat(keytool.waitFor()).isZero();
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

    private static Path pem(Path file, String label, byte[] der) throws Exception {
        String body = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(der);
        Files.writeString(file, "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static void signal(String name, int pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(pid))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static ConnectionStatus connection(Pool pool, Lease lease) {
        return pool.connections().stream()
                .filter(c -> c.id().equals(lease.connectionId()))
                .findFirst()
                .orElseThrow();
    }

    private static int select(Lease lease) throws SQLException {
        try (Statement statement = lease.connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT 1")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void execute(Lease lease, String sql) throws SQLException {
        try (Statement statement = lease.connection().createStatement()) {
            statement.execute(sql);
        }
    }
}
