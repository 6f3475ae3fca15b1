package dev.headgate.bench.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The PostgreSQL behind all sides: the server in the service's data folder. {@code EmbeddedServer} documents its files.
 *
 * @param postmaster its first process
 */
record PostgresServer(int port, String password, ProcessHandle postmaster) {

    static final String USER = "postgres";

    /** The name of the benchmark's database. */
    static final String DATABASE = "bench";

    static PostgresServer in(Path data) throws IOException {
        Path folder = data.resolve("postgres");
        String pid =
                Files.readAllLines(folder.resolve("cluster/postmaster.pid")).getFirst();
        return new PostgresServer(
                Integer.parseInt(Files.readString(folder.resolve("port")).strip()),
                Files.readString(folder.resolve("password")).strip(),
                ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow());
    }

    /** The server without a pooler. */
    Side direct() {
        return direct(DATABASE);
    }

    /** Any database of the server, without a pooler. */
    Side direct(String database) {
        return new Side("direct", port, database, USER, password, postmaster);
    }
}
