package dev.headgate.bench.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The PostgreSQL behind all sides: the one that the service keeps in its data folder. Which files tell about it says
 * {@code EmbeddedServer}.
 *
 * @param postmaster its first process
 */
record PostgresServer(int port, String password, ProcessHandle postmaster) {

    static final String USER = "postgres";

    /** The database that is measured on. */
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

    /** Without a pooler. */
    Side direct() {
        return direct(DATABASE);
    }

    /** Without a pooler, to any database. */
    Side direct(String database) {
        return new Side("direct", port, database, USER, password, postmaster);
    }
}
