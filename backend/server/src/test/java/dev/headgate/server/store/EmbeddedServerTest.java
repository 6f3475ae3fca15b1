package dev.headgate.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class EmbeddedServerTest {

    @TempDir
    Path data;

    @AfterEach
    void leavesNoServerBehind() throws IOException {
        if (Files.exists(data.resolve("postgres/cluster/postmaster.pid"))) {
            ProcessHandle.of(postmaster())
                    .filter(process -> !process.equals(ProcessHandle.current()))
                    .ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void keepsItsPortItsPasswordAndItsRowsOverARestart() throws Exception {
        int port;
        String password;
        try (EmbeddedServer server = EmbeddedServer.start(data)) {
            port = server.port();
            password = server.password();
            server.ensureDatabase("demo", "owner", "first");
            server.ensureDatabase("demo", "owner", "it's \\ second");
            execute(server, "owner", "it's \\ second", "CREATE TABLE kept AS SELECT 42 AS answer");
            assertThat(server.wasAdopted()).isFalse();
            assertThat(server.user()).isEqualTo("postgres");
            assertThat(server.jdbcUrl("demo")).isEqualTo("jdbc:postgresql://127.0.0.1:" + port + "/demo");
        }
        assertThat(Files.exists(data.resolve("postgres/cluster/postmaster.pid")))
                .isFalse();

        try (EmbeddedServer server = EmbeddedServer.start(data)) {
            assertThat(server.port()).isEqualTo(port);
            assertThat(server.password()).isEqualTo(password);
            assertThat(server.wasAdopted()).isFalse();
            assertThat(answer(server)).isEqualTo(42);
        }
    }

    @Test
    void letsNobodyInWithoutTheRightPassword() throws Exception {
        try (EmbeddedServer server = EmbeddedServer.start(data)) {
            server.ensureDatabase("demo", "owner", "right");

            assertThatThrownBy(() -> execute(server, "owner", "wrong", "SELECT 1"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
            assertThatThrownBy(() -> execute(server, "postgres", "", "SELECT 1"))
                    .isInstanceOf(SQLException.class);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("postgres/password"))))
                    .isEqualTo("rw-------");
            assertThat(setting(server, "listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(setting(server, "fsync")).isEqualTo("on");
            assertThat(setting(server, "max_connections")).isEqualTo("100");
            assertThat(Files.readString(data.resolve("postgres/server.log")))
                    .doesNotContain("right")
                    .doesNotContain(server.password());
        }
    }

    @Test
    void adoptsTheServerThatOutlivedItsKilledJvm() throws Exception {
        killJvmThatStartedAServer();
        long postmaster = postmaster();
        assertThat(ProcessHandle.of(postmaster)).isPresent();

        try (EmbeddedServer server = EmbeddedServer.start(data)) {
            assertThat(server.wasAdopted()).isTrue();
            assertThat(postmaster()).isEqualTo(postmaster);
            assertThat(answer(server)).isEqualTo(42);
        }
        assertThat(Files.exists(data.resolve("postgres/cluster/postmaster.pid")))
                .isFalse();
    }

    /** As that of an experiment, which no later start would adopt. */
    @Test
    void leavesNothingOfAServerThatOutlivedItsKilledJvm() throws Exception {
        killJvmThatStartedAServer();
        ProcessHandle postmaster = ProcessHandle.of(postmaster()).orElseThrow();

        assertThat(EmbeddedServer.deleteLeft(data)).isTrue();
        assertThat(postmaster.onExit()).succeedsWithin(Duration.ofSeconds(10));
        assertThat(data.resolve("postgres")).doesNotExist();
        assertThat(EmbeddedServer.deleteLeft(data)).isFalse();
    }

    /** As that of an experiment that is cancelled. */
    @Test
    void stopsAlsoForAThreadThatIsInterrupted() throws Exception {
        EmbeddedServer server = EmbeddedServer.start(data);
        ProcessHandle postmaster = ProcessHandle.of(postmaster()).orElseThrow();
        Thread.currentThread().interrupt();
        server.closeAndDelete();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(postmaster.onExit()).succeedsWithin(Duration.ofSeconds(10));
        assertThat(data.resolve("postgres")).doesNotExist();
    }

    @Test
    void startsAnewWhenServerAndJvmWereKilledAndTheirPidIsSomeoneElsesNow() throws Exception {
        killJvmThatStartedAServer();
        Path note = data.resolve("postgres/cluster/postmaster.pid");
        ProcessHandle killed = ProcessHandle.of(postmaster()).orElseThrow();
        assertThat(killed.destroyForcibly()).isTrue();
        List<String> lines = Files.readAllLines(note);
        lines.set(0, Long.toString(ProcessHandle.current().pid()));
        Files.write(note, lines);

        try (EmbeddedServer server = EmbeddedServer.start(data)) {
            assertThat(server.wasAdopted()).isFalse();
            assertThat(postmaster()).isNotEqualTo(ProcessHandle.current().pid());
            assertThat(answer(server)).isEqualTo(42);
        }
    }

    @Test
    void choosesAnotherPortWhenSomeoneElseHasTakenItsOwn() throws Exception {
        int before;
        try (EmbeddedServer server = EmbeddedServer.start(data)) {
            before = server.port();
        }
        try (ServerSocket thief = new ServerSocket()) {
            thief.setReuseAddress(true);
            thief.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), before));
            int after;
            try (EmbeddedServer server = EmbeddedServer.start(data)) {
                after = server.port();
                assertThat(after).isNotEqualTo(before);
                assertThat(setting(server, "port")).isEqualTo(Integer.toString(after));
            }
            assertThat(Files.readString(data.resolve("postgres/port")).strip()).isEqualTo(Integer.toString(after));
        }
    }

    @Test
    void refusesASecondOwnerOfTheSameFiles() throws Exception {
        try (EmbeddedServer first = EmbeddedServer.start(data)) {
            assertThatThrownBy(() -> EmbeddedServer.start(data))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Another Headgate");
            assertThat(setting(first, "port")).isEqualTo(Integer.toString(first.port()));
        }
    }

    @Test
    void saysWhatItSaidWhenItDoesNotStart() throws Exception {
        EmbeddedServer.start(data).close();
        Files.delete(data.resolve("postgres/cluster/global/pg_control"));

        assertThatThrownBy(() -> EmbeddedServer.start(data))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not start")
                .hasMessageContaining("pg_control");
    }

    /** Starts a server that keeps one row from another JVM, and kills that JVM the hard way. */
    private void killJvmThatStartedAServer() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName(),
                        data.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(jvm.inputReader().lines().anyMatch("ready"::equals)).isTrue();
        } finally {
            jvm.destroyForcibly();
        }
        assertThat(jvm.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    /** The JVM to be killed. */
    static final class Owner {

        public static void main(String[] arguments) throws Exception {
            EmbeddedServer server = EmbeddedServer.start(Path.of(arguments[0]));
            server.ensureDatabase("demo", "owner", "secret");
            execute(server, "owner", "secret", "CREATE TABLE kept AS SELECT 42 AS answer");
            System.out.println("ready");
            Thread.currentThread().join();
        }
    }

    private long postmaster() throws IOException {
        return Long.parseLong(Files.readAllLines(data.resolve("postgres/cluster/postmaster.pid"))
                .get(0)
                .strip());
    }

    private static void execute(EmbeddedServer server, String user, String password, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl("demo"), user, password);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int answer(EmbeddedServer server) throws SQLException {
        return Integer.parseInt(query(server, "demo", "SELECT answer FROM kept"));
    }

    private static String setting(EmbeddedServer server, String name) throws SQLException {
        return query(server, "postgres", "SHOW " + name);
    }

    private static String query(EmbeddedServer server, String database, String sql) throws SQLException {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
