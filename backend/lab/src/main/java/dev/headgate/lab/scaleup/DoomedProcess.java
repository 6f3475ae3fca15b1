package dev.headgate.lab.scaleup;

import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Lease;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.lab.Client;
import dev.headgate.lab.demo.Sql;
import dev.headgate.lab.experiment.JavaCommand;
import dev.headgate.lab.pools.FixedPool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A coordinator in a process of its own that does nothing but distributed bookings, on several threads, until it is killed. It ends with
 * its standard input, so none outlives the process that started it.
 */
final class DoomedProcess implements AutoCloseable {

    private static final String PREFIX = "process-";
    private static final String READY = "booking";
    private static final int BOOKINGS_BEFORE_READY = 100;
    private static final int THREADS = 3;

    private final Process process;

    private DoomedProcess(Process process) {
        this.process = process;
    }

    /** The name of the coordinator of a process. The sessions of its pools are named after it. */
    static String coordinator(int number) {
        return PREFIX + number;
    }

    /**
     * Starts one; blocks until it has booked a hundred times, which takes some seconds.
     *
     * @param number of the processes on these sites, also past ones: no two coordinators may have the same name
     * @param sites the databases of a split bank, in their order
     * @throws IOException if it does not start
     */
    static DoomedProcess start(int number, List<Target> sites) throws IOException {
        DoomedProcess started = new DoomedProcess(new ProcessBuilder(JavaCommand.of(DoomedProcess.class, "-Xmx128m"))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
        try {
            List<String> lines = new ArrayList<>(List.of(coordinator(number)));
            for (Target site : sites) {
                lines.addAll(List.of(
                        site.host(), Integer.toString(site.port()), site.database(), site.user(), site.password()));
            }
            lines.add("");
            started.process.getOutputStream().write(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
            started.process.getOutputStream().write('\n');
            started.process.getOutputStream().flush();
            BufferedReader said = started.process.inputReader();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.equals(READY)) {
                    return started;
                }
            }
            throw new IOException("the process of a coordinator ended before it was ready");
        } catch (IOException e) {
            started.close();
            throw e;
        }
    }

    /** Kills it, as {@code kill -9} does; blocks until it is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** How many sessions of such processes the server still has: a killed one's end when the server notices. */
    static long sessions(SplitBank bank) throws SQLException {
        try (Lease lease = bank.lease(0)) {
            return Sql.query(
                    lease.connection(),
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE ?",
                    "headgate " + PREFIX + "%");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /**
     * Reads from the standard input: its coordinator's name; host, port, database, user and password of each site, a line each; an empty
     * line.
     */
    @SuppressWarnings("SystemOut")
    public static void main(String... arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String name = in.readLine();
        Engine engine = Engine.start(name, EngineListener.NONE);
        List<Pool> pools = new ArrayList<>();
        for (String host = in.readLine(); host != null && !host.isEmpty(); host = in.readLine()) {
            int port = Integer.parseInt(in.readLine());
            String database = in.readLine();
            Target site = Target.of(database, host, port, database, in.readLine(), in.readLine(), THREADS)
                    .withSslMode(Target.SslMode.DISABLE);
            pools.add(FixedPool.open(engine.open(site), name + "-" + database, THREADS));
        }
        SplitBank bank = new SplitBank(pools);
        Coordinator coordinator = new Coordinator(name, bank, step -> {});
        for (int i = 0; i < THREADS; i++) {
            Client client = new Client(new SplittableRandom(i), nanos -> {});
            boolean tells = i == 0;
            Thread _ = Thread.ofPlatform().daemon().start(() -> {
                for (int n = 0; ; n++) {
                    try {
                        coordinator.book(bank.draw(client, 1));
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                    if (tells && n == BOOKINGS_BEFORE_READY) {
                        System.out.println(READY);
                    }
                }
            });
        }
        while (in.readLine() != null) {
            // nothing more is said to it
        }
        System.exit(0);
    }
}
