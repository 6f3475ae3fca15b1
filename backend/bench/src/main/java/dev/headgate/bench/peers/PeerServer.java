package dev.headgate.bench.peers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The PostgreSQL of all pools. It keeps its port and its data when it is restarted. */
final class PeerServer implements AutoCloseable {

    private static final String MOST_CONNECTIONS = "300";

    private final Path folder = Files.createTempDirectory("headgate-peers");
    private final int port = freePort();
    private EmbeddedPostgres server = launch();

    PeerServer() throws IOException {}

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private EmbeddedPostgres launch() throws IOException {
        return EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(folder)
                .setCleanDataDirectory(false)
                .setServerConfig("max_connections", MOST_CONNECTIONS)
                .start();
    }

    int port() {
        return port;
    }

    /** The address as a driver reads it, with the connection's name in {@code pg_stat_activity}. */
    String url(String application, Duration socketTimeout) {
        return url(application) + "&connectTimeout=" + Settings.TEST_TIMEOUT.toSeconds() + "&socketTimeout="
                + socketTimeout.toSeconds();
    }

    /** The same without timeouts. */
    String url(String application) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?sslmode=disable&ApplicationName=" + application;
    }

    /** A connection outside every pool. */
    Connection beside() throws SQLException {
        return DriverManager.getConnection(url("beside", Duration.ofSeconds(30)), "postgres", "postgres");
    }

    String version() throws SQLException {
        try (Connection connection = beside()) {
            return connection.getMetaData().getDatabaseProductVersion();
        }
    }

    /** The server's processes for a pool's connections. */
    static Set<Long> backends(Connection beside, String application) throws SQLException {
        try (var statement = beside.prepareStatement("SELECT pid FROM pg_stat_activity WHERE application_name = ?")) {
            statement.setString(1, application);
            Set<Long> pids = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    pids.add(rows.getLong(1));
                }
            }
            return pids;
        }
    }

    Set<Long> backends(String application) throws SQLException {
        try (Connection beside = beside()) {
            return backends(beside, application);
        }
    }

    /** Ends connections as an administrator does. */
    void terminate(Set<Long> pids) throws SQLException {
        try (Connection beside = beside();
                var statement = beside.prepareStatement("SELECT pg_terminate_backend(?::int)")) {
            for (long pid : pids) {
                statement.setLong(1, pid);
                statement.execute();
            }
        }
    }

    /** @param name of a signal, without SIG */
    static void signal(String name, Set<Long> pids) throws IOException, InterruptedException {
        for (long pid : pids) {
            int _ = new ProcessBuilder("kill", "-" + name, String.valueOf(pid))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        }
    }

    /** Ends the server as a crash does: no client is told. */
    void kill() throws IOException, InterruptedException {
        long pid = Long.parseLong(
                Files.readAllLines(folder.resolve("postmaster.pid")).getFirst().strip());
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        signal("QUIT", Set.of(pid));
        postmaster.onExit().join();
        server.close();
    }

    /** Starts it again after {@link #kill}, and returns when it accepts connections. */
    void restart() throws IOException {
        server = launch();
    }

    @Override
    public void close() throws IOException {
        server.close();
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path each : deepestFirst) {
                Files.deleteIfExists(each);
            }
        }
    }
}
