package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** pg_doorman, 3.10 or newer, where {@code HEADGATE_PG_DOORMAN} says. Waits and COPY may take as long as through the others. */
record PgDoorman(String program) implements PoolerProgram {

    static final String VARIABLE = "HEADGATE_PG_DOORMAN";

    /** The one that the environment names; null if it names none. */
    static @Nullable PgDoorman named() {
        String program = System.getenv(VARIABLE);
        return program == null || program.isEmpty() ? null : new PgDoorman(program);
    }

    @Override
    public String name() {
        return "pg_doorman";
    }

    @Override
    public String version() throws InterruptedException {
        String said = PoolerProgram.version(program, "pg_doorman where " + VARIABLE + " says");
        if (!said.startsWith("pg_doorman ")) {
            throw new IllegalArgumentException(
                    "'" + program + " --version' does not tell pg_doorman's version: " + said);
        }
        return said.strip().replaceFirst("^pg_doorman ", "");
    }

    @Override
    public List<String> command(Path configuration) {
        return List.of(program, "--log-level", "warn", configuration.toString());
    }

    @Override
    public Path configure(Folder folder, Service service, int port) throws IOException {
        return folder.write("pg_doorman.toml", """
                [general]
                host = "127.0.0.1"
                port = %d
                worker_threads = 1
                max_connections = %d
                query_wait_timeout = 60000
                proxy_copy_data_timeout = 600000
                log_client_connections = false
                log_client_disconnections = false
                prepared_statements = true
                admin_username = "admin"
                admin_password = "%s"
                server_tls_mode = "disable"
                tls_mode = "allow"
                tls_certificate = "%s"
                tls_private_key = "%s"

                [pools.%s]
                server_host = "127.0.0.1"
                server_port = %d
                server_database = "%s"
                pool_mode = "transaction"

                [pools.%s.users.0]
                username = "%s"
                password = "%s"
                pool_size = %d
                min_pool_size = %d
                server_username = "%s"
                server_password = "%s"
                """.formatted(
                        port,
                        Service.MOST_CLIENTS,
                        Service.PASSWORD,
                        folder.path().resolve(Pooler.CERTIFICATE),
                        folder.path().resolve(Pooler.KEY),
                        Service.DOMAIN,
                        service.server.port(),
                        PostgresServer.DATABASE,
                        Service.DOMAIN,
                        Service.CLIENT,
                        Pooler.verifier(),
                        Service.CONNECTIONS,
                        Service.CONNECTIONS,
                        PostgresServer.USER,
                        service.server.password()));
    }
}
