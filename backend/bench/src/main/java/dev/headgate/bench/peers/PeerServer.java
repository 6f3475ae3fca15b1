package dev.headgate.bench.peers;

import dev.headgate.bench.Cores;
import dev.headgate.bench.Folder;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** The PostgreSQL of all pools, pinned to the first core. It keeps its port and its data when it is restarted. */
final class PeerServer implements AutoCloseable {

    private static final String MOST_CONNECTIONS = "300";

    private final Folder folder = Folder.create("peers");
    private final int port = freePort();
    private EmbeddedPostgres server = launch();

    PeerServer() throws IOException, InterruptedException {}

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private EmbeddedPostgres launch() throws IOException, InterruptedException {
        EmbeddedPostgres launched = EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(folder.path())
                .setCleanDataDirectory(false)
                .setServerConfig("max_connections", MOST_CONNECTIONS)
                .start();
        Cores.pin(postmaster(), Cores.SERVER);
        return launched;
    }

    private ProcessHandle postmaster() throws IOException {
        String pid = Files.readAllLines(folder.path().resolve("postmaster.pid")).getFirst();
        return ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
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
        ProcessHandle postmaster = postmaster();
        signal("QUIT", Set.of(postmaster.pid()));
        postmaster.onExit().join();
        server.close();
    }

    /** Starts it again after {@link #kill}, and returns when it accepts connections. */
    void restart() throws IOException, InterruptedException {
        server = launch();
    }

    @Override
    public void close() throws IOException {
        server.close();
        folder.close();
    }
}
