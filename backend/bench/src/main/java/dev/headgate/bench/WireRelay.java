package dev.headgate.bench;

import dev.headgate.engine.Pool;
import dev.headgate.wire.Directory;
import dev.headgate.wire.Operations;
import dev.headgate.wire.PoolMode;
import dev.headgate.wire.SessionState;
import dev.headgate.wire.WirePort;
import dev.headgate.wire.WireSettings;
import dev.headgate.wire.auth.ScramVerifier;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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
 * PostgreSQL. Needs {@code pgbench}, {@code psql}, {@code pgbouncer} and {@code taskset} on the path; as root PgBouncer
 * runs as {@code nobody}. PostgreSQL and the clients are pinned to the first core, the wire port (this whole process, its
 * compiler and collector included) and PgBouncer to the second.
 */
final class WireRelay {

    private static final int CONNECTIONS = 10;
    private static final int RUNS = 7;

    /** Where all wait for one row, a run says little by itself. */
    private static final int LOCKED_RUNS = 21;

    private static final int SECONDS = 3;
    private static final int COPIES = 3;
    private static final String GIGABYTE = "copy (select repeat('x', 1000) from generate_series(1, 1073742)) to stdout";
    private static final int IDLE_CLIENTS = 5_000;
    private static final int SERVER_CORE = 0;
    private static final int POOLER_CORE = 1;
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
                pin(postmaster(subject), SERVER_CORE);
                pgbench(direct, "-i", "-q");
                for (int i = 0; i < 4; i++) { // warms up
                    ours.rate("-S", "-c", "8");
                    ours.rate("-S", "-M", "prepared", "-c", "8");
                    ours.rate("-S", "-c", "100");
                    ours.rate("-c", "32");
                }
                pin(ProcessHandle.current().pid(), POOLER_CORE);
                compare("-S simple, 1 client", 0.8, ours, theirs, direct, "-S", "-c", "1");
                compare("-S simple, 8 clients", 0.8, ours, theirs, direct, "-S", "-c", "8");
                compare("-S simple, 100 clients", 1.0, ours, theirs, null, "-S", "-c", "100");
                System.out.println(
                        "  prepared: PgBouncer before 1.21 has none in transaction mode, and is asked the simple way instead");
                compare("-S prepared, 1 client", 0.8, ours, theirs, null, "-S", "-M", "prepared", "-c", "1");
                compare("-S prepared, 8 clients", 0.8, ours, theirs, null, "-S", "-M", "prepared", "-c", "8");
                compare("-S prepared, 100 clients", 1.0, ours, theirs, null, "-S", "-M", "prepared", "-c", "100");
                compare("tpcb-like, 32 clients", 0.95, ours, theirs, null, "-c", "32");
                copyOut(ours, theirs);
                idle(wire, ours);
            }
        }
    }

    private static void compare(
            String name, double bar, Side ours, Side theirs, @Nullable Side direct, String... options)
            throws Exception {
        int runs = name.startsWith("tpcb") ? LOCKED_RUNS : RUNS;
        double[] mine = new double[runs];
        double[] others = new double[runs];
        double[] bare = new double[runs];
        String[] simple = List.of(options).stream()
                .map(o -> o.equals("prepared") ? "simple" : o)
                .toArray(String[]::new);
        for (int run = 0; run < runs; run++) {
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
        if (name.equals("-S simple, 1 client")) {
            System.out.printf(
                    "  added latency of a SELECT over PgBouncer's: %.0f microseconds (bar 60)%n",
                    1e6 / new Figures(mine).median() - 1e6 / new Figures(others).median());
        }
    }

    /** COPY of a gigabyte to a client that throws it away, and the heap in the middle of it. */
    private static void copyOut(Side ours, Side theirs) throws Exception {
        double[] mine = new double[COPIES];
        double[] others = new double[COPIES];
        long before = heap();
        long within = before;
        for (int run = 0; run < COPIES; run++) {
            long began = System.nanoTime();
            Process copying = ours.copy();
            if (run == 0) {
                copying.waitFor(1, TimeUnit.SECONDS);
                within = heap();
            }
            copying.waitFor();
            mine[run] = 1e9 / (System.nanoTime() - began);
            began = System.nanoTime();
            theirs.copy().waitFor();
            others[run] = 1e9 / (System.nanoTime() - began);
        }
        System.out.printf(
                "  COPY out 1 GB            headgate %s, PgBouncer %s GB/s; ratio of medians %.2f (bar 0.90); heap %+.1f MB in the middle of it%n",
                new Figures(mine).show("%.2f"),
                new Figures(others).show("%.2f"),
                new Figures(mine).median() / new Figures(others).median(),
                (within - before) / 1048576.0);
    }

    /** What a client costs that has logged in and asks for nothing. */
    private static void idle(WirePort wire, Side ours) throws Exception {
        Path script = Files.createTempFile("headgate-idle", ".sql");
        Files.writeString(script, "\\sleep 120 s\n");
        long before = heap();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        Process clients =
                ours.start("pgbench", "-n", "-c", String.valueOf(IDLE_CLIENTS), "-t", "1", "-f", script.toString());
        for (int i = 0; i < 1_500 && wire.clients().size() < IDLE_CLIENTS; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        System.out.printf(
                "  %d idle clients: %.1f KB of heap each (bar 20), %d more threads of the operating system%n",
                wire.clients().size(),
                (heap() - before) / 1024.0 / wire.clients().size(),
                ManagementFactory.getThreadMXBean().getThreadCount() - threads);
        clients.destroy();
        clients.waitFor();
        Files.delete(script);
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private record Side(String name, int port, String database, String password) {

        /** A client program of PostgreSQL's, on the server's core. */
        Process start(String... program) throws IOException {
            List<String> command = new ArrayList<>(List.of("taskset", "-c", String.valueOf(SERVER_CORE)));
            command.addAll(List.of(program));
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("PGPASSWORD", password);
            builder.environment().put("PGHOST", "127.0.0.1");
            builder.environment().put("PGPORT", String.valueOf(port));
            builder.environment().put("PGUSER", name.equals("headgate") ? "app" : "postgres");
            builder.environment().put("PGDATABASE", database);
            return builder.start();
        }

        Process copy() throws IOException {
            return start("psql", "-q", "-o", "/dev/null", "-c", GIGABYTE);
        }

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
        List<String> command = new ArrayList<>(List.of("pgbench"));
        command.addAll(List.of(options));
        Process process = side.start(command.toArray(String[]::new));
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    private static long postmaster(Subject subject) throws SQLException {
        try (Connection connection = subject.server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void pin(long process, int core) throws Exception {
        new ProcessBuilder("taskset", "-acp", String.valueOf(core), String.valueOf(process))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
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
            List<String> command =
                    new ArrayList<>(List.of("taskset", "-c", String.valueOf(POOLER_CORE), "pgbouncer", "-q"));
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
            return name.equals("bank")
                    ? Optional.of(new Domain(pool, PoolMode.TRANSACTION, 10_000, SessionState.PIN))
                    : Optional.empty();
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
