package dev.headgate.server.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A PostgreSQL cluster, the data directory of one server, with the programs that create, start and stop it. Methods block.
 */
final class Cluster {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONGER_THAN_PG_CTL = Duration.ofSeconds(5);

    private final PostgresBinaries binaries;
    private final Path folder;
    private final Path data;
    private final Path log;

    /**
     * Creates nothing but PostgreSQL's programs in the user's cache, if they are not there.
     *
     * @param folder holds the data directory and the logs; the programs too, where there is no cache
     */
    Cluster(Path folder) throws IOException {
        this.binaries = binaries(folder);
        this.folder = folder;
        this.data = folder.resolve("cluster");
        this.log = folder.resolve("server.log");
    }

    private static PostgresBinaries binaries(Path folder) throws IOException {
        Path cache = PostgresBinaries.userCache();
        try {
            Files.createDirectories(cache);
        } catch (IOException e) {
            cache = folder;
        }
        return PostgresBinaries.unpackedIn(Files.isWritable(cache) ? cache : folder);
    }

    // ---- what is there

    boolean exists() {
        return Files.exists(data);
    }

    /** Whether it was created to the end. */
    boolean isComplete() {
        return Files.exists(data.resolve("PG_VERSION"));
    }

    boolean isIn(Path directory) throws IOException {
        return directory.toRealPath().equals(data.toRealPath());
    }

    /** The server that runs on it, if one may. */
    Optional<PostmasterFile> running() throws IOException {
        return PostmasterFile.in(data).filter(PostmasterFile::mayBeServed);
    }

    boolean runs() throws IOException {
        return running().isPresent();
    }

    /** The end of the server's log, as a part of a sentence. */
    String lastWords() {
        try {
            List<String> lines = Files.readAllLines(log);
            return "; its log ends: " + String.join(" | ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
        } catch (IOException e) {
            return "";
        }
    }

    // ---- what is done with it

    /** @param password the file with the superuser's password */
    void create(String superuser, Path password) throws IOException {
        Path halfDone = folder.resolve("cluster.new");
        PostgresBinaries.delete(halfDone);
        binaries.run(
                START_TIMEOUT,
                "initdb",
                "--pgdata=" + halfDone,
                "--username=" + superuser,
                "--pwfile=" + password,
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions");
        Files.move(halfDone, data, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Writes the settings of the next start. */
    void configure(String host, int port, int maxConnections, int maxPrepared) throws IOException {
        Files.writeString(data.resolve("postgresql.conf"), """
                # Written by Headgate at each start: what is changed here is lost.
                listen_addresses = '%s'
                port = %d
                unix_socket_directories = ''
                max_connections = %d
                max_prepared_transactions = %d
                password_encryption = 'scram-sha-256'
                shared_buffers = 64MB
                max_wal_size = 512MB
                wal_level = minimal
                max_wal_senders = 0
                max_replication_slots = 0
                timezone = 'UTC'
                log_timezone = 'UTC'
                log_checkpoints = off
                """.formatted(host, port, maxConnections, maxPrepared));
        Files.writeString(
                data.resolve("pg_hba.conf"),
                "# Written by Headgate at each start.\nhost all all " + host + "/32 scram-sha-256\n");
    }

    /** A file of a process that is none of this cluster's keeps nobody from starting. */
    void disownForeign() throws IOException {
        Optional<PostmasterFile> note = PostmasterFile.in(data);
        if (note.isPresent()) {
            note.get().disownForeign();
        }
    }

    /**
     * Starts the server, with a new log. Returns when it is ready.
     *
     * @throws IllegalStateException if it does not start, with the words of PostgreSQL's program
     */
    void start() throws IOException {
        if (Files.exists(log)) {
            Files.move(log, folder.resolve("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        binaries.run(
                START_TIMEOUT.plus(LONGER_THAN_PG_CTL),
                "pg_ctl",
                "start",
                "--pgdata=" + data,
                "--log=" + log,
                "--wait",
                "--timeout=" + START_TIMEOUT.toSeconds());
    }

    /**
     * Returns when the server is down.
     *
     * @param mode of {@code pg_ctl}
     * @throws IllegalStateException if it does not stop in time
     */
    void stop(String mode) throws IOException {
        binaries.run(
                STOP_TIMEOUT.plus(LONGER_THAN_PG_CTL),
                "pg_ctl",
                "stop",
                "--pgdata=" + data,
                "--mode=" + mode,
                "--wait",
                "--timeout=" + STOP_TIMEOUT.toSeconds());
    }
}
