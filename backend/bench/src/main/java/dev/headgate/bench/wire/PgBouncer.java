package dev.headgate.bench.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PasswordUtil;

/**
 * PgBouncer with the service's settings: ten connections to the same server in transaction mode, SCRAM-SHA-256 for its
 * clients, and TLS with the same certificate for those that ask for it. As root it runs as {@code nobody}.
 */
final class PgBouncer implements AutoCloseable {

    /** The first version with prepared statements in transaction mode. */
    private static final Version LEAST = new Version(1, 21);

    private static final Pattern VERSION = Pattern.compile("PgBouncer ([0-9]+)\\.([0-9]+)");

    private record Version(int major, int minor) {
        boolean before(Version other) {
            return major != other.major ? major < other.major : minor < other.minor;
        }
    }

    private final Folder folder;
    private final Process process;
    private final int port;

    /**
     * The peer's program and version.
     *
     * @throws IllegalArgumentException if it is missing or has no prepared statements in transaction mode
     */
    static String version() throws InterruptedException {
        String said;
        try {
            Process asked = new ProcessBuilder(program(), "--version")
                    .redirectErrorStream(true)
                    .start();
            said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            asked.waitFor();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "needs PgBouncer, on the path or where HEADGATE_PGBOUNCER says; '" + program() + "' does not start",
                    e);
        }
        Matcher found = VERSION.matcher(said);
        if (!found.find()) {
            throw new IllegalArgumentException(
                    "'" + program() + " --version' does not tell PgBouncer's version: " + said);
        }
        Version version = new Version(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)));
        if (version.before(LEAST)) {
            throw new IllegalArgumentException(
                    found.group() + " has no prepared statements in transaction mode and is no peer: name one from"
                            + " 1.21 on by HEADGATE_PGBOUNCER");
        }
        return said.strip().replaceFirst("^PgBouncer ", "").replaceAll("\\s*\\n\\s*", ", ");
    }

    PgBouncer(Service service) throws Exception {
        folder = Folder.create("pgbouncer");
        port = Ports.free();
        Path config = configure(service);
        folder.publish();
        List<String> command = new ArrayList<>(List.of(program(), "-q"));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(config.toString());
        Path log = folder.path().resolve("log");
        process = new ProcessBuilder(Cores.on(Cores.POOLER, command))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy)); // also if the benchmark is interrupted
        Await.until("PgBouncer listens", 10, () -> {
            if (!process.isAlive()) {
                throw new IOException(program() + " ended: " + Files.readString(log));
            }
            return Ports.listens(port);
        });
    }

    private Path configure(Service service) throws IOException {
        Path certificate = folder.write("tls.crt", Files.readString(service.certificate()));
        Path key = folder.write("tls.key", Files.readString(service.key()));
        Path users = folder.write("users.txt", "\"%s\" \"%s\"%n".formatted(Service.CLIENT, verifier()));
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
                        certificate,
                        key));
    }

    /** A SCRAM verifier, as the service keeps it: computed once, not at every login. */
    private static String verifier() {
        return PasswordUtil.encodeScramSha256(Service.PASSWORD.toCharArray());
    }

    private static String program() {
        return System.getenv().getOrDefault("HEADGATE_PGBOUNCER", "pgbouncer");
    }

    Side side() {
        return new Side("PgBouncer", port, Service.DOMAIN, Service.CLIENT, Service.PASSWORD, process.toHandle());
    }

    Footprint footprint() {
        return new Footprint(process.toHandle());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        process.waitFor();
        folder.close();
    }
}
