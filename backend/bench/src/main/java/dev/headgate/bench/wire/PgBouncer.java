package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PgBouncer, on the path or where {@code HEADGATE_PGBOUNCER} says. As root it runs as {@code nobody}. */
record PgBouncer(String program) implements PoolerProgram {

    /** The first version with prepared statements in transaction mode. */
    private static final Version LEAST = new Version(1, 21);

    private static final Pattern VERSION = Pattern.compile("PgBouncer ([0-9]+)\\.([0-9]+)");

    private record Version(int major, int minor) {
        boolean before(Version other) {
            return major != other.major ? major < other.major : minor < other.minor;
        }
    }

    PgBouncer() {
        this(System.getenv().getOrDefault("HEADGATE_PGBOUNCER", "pgbouncer"));
    }

    @Override
    public String name() {
        return "PgBouncer";
    }

    @Override
    public String version() throws InterruptedException {
        String said = PoolerProgram.version(program, "PgBouncer, on the path or where HEADGATE_PGBOUNCER says");
        Matcher found = VERSION.matcher(said);
        if (!found.find()) {
            throw new IllegalArgumentException(
                    "'" + program + " --version' does not tell PgBouncer's version: " + said);
        }
        Version version = new Version(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)));
        if (version.before(LEAST)) {
            throw new IllegalArgumentException(
                    found.group() + " has no prepared statements in transaction mode and is no peer: name one from"
                            + " 1.21 on by HEADGATE_PGBOUNCER");
        }
        return said.strip().replaceFirst("^PgBouncer ", "").replaceAll("\\s*\\n\\s*", ", ");
    }

    @Override
    public List<String> command(Path configuration) {
        List<String> command = new ArrayList<>(List.of(program, "-q"));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(configuration.toString());
        return command;
    }

    @Override
    public Path configure(Folder folder, Service service, int port) throws IOException {
        Path users = folder.write("users.txt", "\"%s\" \"%s\"%n".formatted(Service.CLIENT, Pooler.verifier()));
        return folder.write("pgbouncer.ini", """
                [databases]
                %s = host=127.0.0.1 port=%d dbname=%s user=%s password=%s
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = scram-sha-256
                auth_file = %s
                pool_mode = transaction
                default_pool_size = %d
                min_pool_size = %d
                max_prepared_statements = 200
                max_client_conn = %d
                server_tls_sslmode = disable
                client_tls_sslmode = allow
                client_tls_cert_file = %s
                client_tls_key_file = %s
                """.formatted(
                        Service.DOMAIN,
                        service.server.port(),
                        PostgresServer.DATABASE,
                        PostgresServer.USER,
                        service.server.password(),
                        port,
                        users,
                        Service.CONNECTIONS,
                        Service.CONNECTIONS,
                        Service.MOST_CLIENTS,
                        folder.path().resolve(Pooler.CERTIFICATE),
                        folder.path().resolve(Pooler.KEY)));
    }
}
