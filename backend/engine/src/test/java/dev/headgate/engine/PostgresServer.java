package dev.headgate.engine;

import dev.headgate.engine.connect.Target;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;

/** A real PostgreSQL for a test class. */
public final class PostgresServer implements AutoCloseable {

    private final EmbeddedPostgres server;

    private PostgresServer(EmbeddedPostgres server) {
        this.server = server;
    }

    public static PostgresServer start() {
        return start(builder -> {});
    }

    public static PostgresServer start(Consumer<EmbeddedPostgres.Builder> settings) {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(1));
        settings.accept(builder);
        try {
            return new PostgresServer(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return server.getPort();
    }

    /** The server's own database, by a name of the test's choice. */
    public Target target(String name, int budget) {
        return Target.of(name, "127.0.0.1", port(), "postgres", "postgres", "postgres", budget)
                .withSslMode(Target.SslMode.DISABLE);
    }

    /** A connection outside every pool, to look at the server or to hurt it. */
    public Connection beside() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?ApplicationName=beside", "postgres", "postgres");
    }

    /** Connections of one domain as the server counts them. */
    public int backendsOf(String domain) throws SQLException {
        try (Connection connection = beside();
                var statement = connection.prepareStatement(
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name = ?")) {
            statement.setString(1, "headgate " + domain);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** Statements that the server executes, by a pattern of their texts. */
    public int executing(String pattern) throws SQLException {
        try (Connection connection = beside();
                var statement = connection.prepareStatement(
                        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE ?")) {
            statement.setString(1, pattern);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** Stops the server as a crash does: no connection is told, nothing is written. */
    public void kill() {
        try {
            Path folder;
            try (Connection connection = beside();
                    var row = connection.createStatement().executeQuery("SHOW data_directory")) {
                row.next();
                folder = Path.of(row.getString(1));
            }
            String pid = Files.readAllLines(folder.resolve("postmaster.pid")).getFirst();
            ProcessHandle postmaster = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
            new ProcessBuilder("kill", "-QUIT", pid).start().waitFor();
            postmaster.onExit().join();
        } catch (IOException | SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        close();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
