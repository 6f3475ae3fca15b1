package dev.headgate.bench;

import dev.headgate.engine.Pool;
import dev.headgate.wire.Directory;
import dev.headgate.wire.Operations;
import dev.headgate.wire.PoolMode;
import dev.headgate.wire.WirePort;
import dev.headgate.wire.WireSettings;
import dev.headgate.wire.auth.ScramVerifier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The wire port beside PgBouncer and a direct connection, by pgbench, interleaved: each with ten connections to the same
 * PostgreSQL. Needs {@code pgbench} and {@code pgbouncer} on the path; as root PgBouncer runs as {@code nobody}. Nothing
 * is pinned to a core: with two of them, who shares one with whom is most of the spread.
 */
final class WireRelay {

    private static final int CONNECTIONS = 10;
    private static final int RUNS = 5;
    private static final int SECONDS = 3;
    private static final String PASSWORD = "bench-wire";
    private static final Pattern RATE = Pattern.compile("tps = ([0-9.]+)");

    private WireRelay() {}

    static void measure() throws Exception {
        try (Subject subject = new Subject(30)) {
            Pool pool = subject.headgate("bank", CONNECTIONS);
            ScramVerifier verifier = ScramVerifier.of(PASSWORD, new SecureRandom());
            try (WirePort wire = WirePort.open(
                            WireSettings.on(InetAddress.getLoopbackAddress(), 0), new OneDomain(pool, verifier));
                    PgBouncer peer = new PgBouncer(subject.server.getPort())) {
                Side direct = new Side("direct", subject.server.getPort(), "postgres", "postgres");
                Side ours = new Side("headgate", wire.port(), "bank", PASSWORD);
                Side theirs = new Side("PgBouncer", peer.port, "bank", "postgres");
                pgbench(direct, "-i", "-q");
                ours.rate("-S", "-c", "8"); // warms up
                ours.rate("-S", "-M", "prepared", "-c", "8");
                compare("-S simple, 1 client", 0.8, ours, theirs, direct, "-S", "-c", "1");
                compare("-S simple, 8 clients", 0.8, ours, theirs, direct, "-S", "-c", "8");
                compare("-S simple, 100 clients", 1.0, ours, theirs, null, "-S", "-c", "100");
                System.out.println(
                        "  prepared: PgBouncer before 1.21 has none in transaction mode, and is asked the simple way instead");
                compare("-S prepared, 8 clients", 0.8, ours, theirs, null, "-S", "-M", "prepared", "-c", "8");
                compare("tpcb-like, 32 clients", 0.95, ours, theirs, null, "-c", "32");
                idle(wire.port());
            }
        }
    }

    private static void compare(
            String name, double bar, Side ours, Side theirs, @Nullable Side direct, String... options)
            throws Exception {
        double[] mine = new double[RUNS];
        double[] others = new double[RUNS];
        double[] bare = new double[RUNS];
        String[] simple = List.of(options).stream()
                .map(o -> o.equals("prepared") ? "simple" : o)
                .toArray(String[]::new);
        for (int run = 0; run < RUNS; run++) {
            mine[run] = ours.rate(options);
            others[run] = theirs.rate(simple);
            bare[run] = direct == null ? 0 : direct.rate(options);
        }
        System.out.printf(
                "  %-24s headgate %s, PgBouncer %s%s transactions/s; ratio of medians %.2f (bar %.2f), run by run %s%n",
                name,
                new Figures(mine).show("%.0f"),
                new Figures(others).show("%.0f"),
                direct == null ? "" : ", direct " + new Figures(bare).show("%.0f"),
                new Figures(mine).median() / new Figures(others).median(),
                bar,
                Figures.ratio(mine, others).show("%.2f"));
        if (name.endsWith(" 1 client")) {
            System.out.printf(
                    "  added latency of a SELECT over PgBouncer's: %.0f microseconds (bar 60)%n",
                    1e6 / new Figures(mine).median() - 1e6 / new Figures(others).median());
        }
    }

    /** What a client costs that has said its startup message and nothing else since: everything but the log-in. */
    private static void idle(int port) throws IOException {
        int clients = 2_000;
        List<Socket> sockets = new ArrayList<>();
        long before = heap();
        for (int i = 0; i < clients; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            sockets.add(socket);
            byte[] parameters = "user\0app\0database\0bank\0\0".getBytes(StandardCharsets.US_ASCII);
            java.io.DataOutputStream out = new java.io.DataOutputStream(socket.getOutputStream());
            out.writeInt(8 + parameters.length);
            out.writeInt(3 << 16);
            out.write(parameters);
            out.flush();
        }
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
        System.out.printf(
                "  %d clients that are silent: %.1f KB of heap each, the measuring side's sockets included (bar 20)%n",
                clients, (heap() - before) / 1024.0 / clients);
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private record Side(String name, int port, String database, String password) {

        double rate(String... options) throws Exception {
            List<String> all = new ArrayList<>(List.of("-n", "-j", "1", "-T", String.valueOf(SECONDS)));
            all.addAll(List.of(options));
            String output = pgbench(this, all.toArray(String[]::new));
            Matcher found = RATE.matcher(output);
            if (!found.find()) {
                throw new IOException(name + ": " + output);
            }
            return Double.parseDouble(found.group(1));
        }
    }

    private static String pgbench(Side side, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("pgbench", "-h", "127.0.0.1", "-p", String.valueOf(side.port)));
        command.addAll(List.of("-U", side.name.equals("headgate") ? "app" : "postgres"));
        command.addAll(List.of(options));
        command.add(side.database);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PGPASSWORD", side.password);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** PgBouncer with the same number of connections, in transaction mode, without authentication. */
    private static final class PgBouncer implements AutoCloseable {
        final int port;
        private final Path folder;
        private final Process process;

        PgBouncer(int server) throws IOException {
            try (ServerSocket free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            folder = Files.createTempDirectory("headgate-pgbouncer");
            Path file = folder.resolve("pgbouncer.ini");
            Files.writeString(file, """
                    [databases]
                    bank = host=127.0.0.1 port=%d dbname=postgres user=postgres password=postgres
                    [pgbouncer]
                    listen_addr = 127.0.0.1
                    listen_port = %d
                    auth_type = any
                    pool_mode = transaction
                    default_pool_size = %d
                    max_client_conn = 1000
                    unix_socket_dir =
                    logfile =
                    """.formatted(server, port, CONNECTIONS));
            folder.toFile().setExecutable(true, false);
            folder.toFile().setReadable(true, false);
            file.toFile().setReadable(true, false);
            boolean root = System.getProperty("user.name").equals("root");
            List<String> command = new ArrayList<>(List.of("pgbouncer", "-q"));
            if (root) {
                command.addAll(List.of("-u", "nobody"));
            }
            command.add(file.toString());
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            for (int i = 0; i < 100 && !listens(); i++) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }

        private boolean listens() {
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            process.destroy();
            Files.deleteIfExists(folder.resolve("pgbouncer.ini"));
            Files.deleteIfExists(folder);
        }
    }

    private record OneDomain(Pool pool, ScramVerifier verifier) implements Directory {

        @Override
        public Optional<Domain> domain(String name) {
            return name.equals("bank") ? Optional.of(new Domain(pool, PoolMode.TRANSACTION, 10_000)) : Optional.empty();
        }

        @Override
        public Optional<ScramVerifier> client(String domain, String user) {
            return Optional.of(verifier);
        }

        @Override
        public Operations operations() {
            throw new UnsupportedOperationException("the benchmark has no console");
        }
    }
}
