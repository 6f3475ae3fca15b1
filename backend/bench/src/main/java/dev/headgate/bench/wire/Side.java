package dev.headgate.bench.wire;

import dev.headgate.bench.Cores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One side of the comparison, as its clients see it.
 *
 * @param pooler the process whose processor time is counted
 */
record Side(String name, int port, String database, String user, String password, ProcessHandle pooler) {

    private static final Pattern RATE = Pattern.compile("tps = ([0-9.]+)");
    private static final Pattern COUNT = Pattern.compile("transactions actually processed: ([0-9]+)");

    /**
     * A run of pgbench.
     *
     * @param perSecond transactions
     * @param cpuMicros of the processor's time, that the pooler took for one, logins included
     * @param waited which share of the time in which it wanted to run its busiest thread was kept from its core
     */
    record Run(double perSecond, double cpuMicros, double waited) {}

    /** Starts a client program on the server's core. */
    Process start(boolean tls, String... program) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(Cores.on(Cores.SERVER, Arrays.asList(program))).redirectErrorStream(true);
        point(builder, tls);
        return builder.start();
    }

    /** A client program that may run on any core, not started. */
    ProcessBuilder unpinned(String... program) {
        ProcessBuilder builder = new ProcessBuilder(program);
        point(builder, false);
        return builder;
    }

    private void point(ProcessBuilder builder, boolean tls) {
        builder.environment()
                .putAll(Map.of(
                        "PGHOST",
                        "127.0.0.1",
                        "PGPORT",
                        String.valueOf(port),
                        "PGDATABASE",
                        database,
                        "PGUSER",
                        user,
                        "PGPASSWORD",
                        password,
                        "PGSSLMODE",
                        tls ? "require" : "disable"));
    }

    /**
     * Runs a client program until it ends.
     *
     * @return its output
     * @throws IOException if it failed
     */
    String run(boolean tls, String... program) throws IOException, InterruptedException {
        Process process = start(tls, program);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(name + ": " + String.join(" ", program) + " failed: " + said);
        }
        return said;
    }

    /** Runs statements without results. */
    void sql(String statements) throws IOException, InterruptedException {
        run(false, "psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-c", statements);
    }

    /** Runs pgbench for some seconds, with one thread. */
    Run rate(boolean tls, int seconds, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("pgbench", "-n", "-j", "1", "-T", String.valueOf(seconds)));
        command.addAll(options);
        Duration before = cpu();
        CoreTime core = CoreTime.of(pooler);
        String said = run(tls, command.toArray(String[]::new));
        long spent = cpu().minus(before).toNanos();
        return new Run(
                number(RATE, said),
                spent / 1e3 / number(COUNT, said),
                CoreTime.of(pooler).waitedSince(core));
    }

    private Duration cpu() {
        return pooler.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private double number(Pattern pattern, String said) throws IOException {
        Matcher found = pattern.matcher(said);
        if (!found.find()) {
            throw new IOException(name + ": pgbench did not say what was expected: " + said);
        }
        return Double.parseDouble(found.group(1));
    }
}
