package dev.headgate.bench.wire;

import dev.headgate.bench.Figures;
import dev.headgate.bench.RowNames;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * {@code ./headgate bench attacks [--quick] [--rows all,watchers,slow,clients] [--only NAMES]}: a whole service with a heap of 512 MB under
 * hostile callers, beside an orderly domain. The callers run in a process of their own at the least priority, so that what is measured
 * is what they make the service do and not the work of sending. Latencies are pgbench's, from the scheduled start of each transaction. {@code --only} names some of the attacks of the row {@code all}, separated by commas.
 */
public final class AttacksBench {

    private enum Row {
        ALL,
        WATCHERS,
        SLOW,
        CLIENTS
    }

    private static final String ATTACKED = "attacked";
    private static final int CONNECTIONS = 4;
    private static final int BYSTANDERS = 8;
    private static final int RATE = 400;
    private static final int LATENCY_FIELD = 2;
    private static final int SLOW_CONNECTIONS = 8_290;
    private static final int MANY_SLOW_CONNECTIONS = 20_000;
    private static final int MOST_OF_A_PROCESS = 10_000;
    private static final int SETTLE_SECONDS = 60;

    private final Service service;
    private final boolean quick;
    private final String only;

    private AttacksBench(Service service, boolean quick, String only) {
        this.service = service;
        this.quick = quick;
        this.only = only;
    }

    /** @throws IllegalArgumentException for an unknown option or row */
    public static void measure(List<String> arguments) throws Exception {
        Set<Row> rows = EnumSet.allOf(Row.class);
        boolean quick = false;
        String only = "all";
        Deque<String> left = new ArrayDeque<>(arguments);
        while (!left.isEmpty()) {
            String option = left.poll();
            if (option.equals("--quick")) {
                quick = true;
            } else if (option.equals("--rows") && !left.isEmpty()) {
                rows = RowNames.parse(Row.class, left.poll());
            } else if (option.equals("--only") && !left.isEmpty()) {
                only = left.poll();
            } else {
                throw new IllegalArgumentException("does not know '" + option
                        + "'; allowed are --quick, --only, --rows " + RowNames.of(Row.class));
            }
        }
        for (Row row : rows) {
            try (Service service = Service.start();
                    Folder folder = Folder.create("attacks")) {
                new AttacksBench(service, quick, only).measure(row, folder);
            }
        }
    }

    private void measure(Row row, Folder folder) throws Exception {
        prepare();
        switch (row) {
            case ALL -> underAll(folder);
            case WATCHERS -> underWatchers(folder);
            case SLOW -> underSlowConnections();
            case CLIENTS -> new ManyClients(service, ATTACKED, quick).measure();
        }
    }

    private void prepare() throws Exception {
        service.server.direct().run(false, "pgbench", "-i", "-q");
        service.create("/api/v1/databases", """
                {"name": "second", "host": "127.0.0.1", "port": %d, "database": "postgres", "user": "%s", "password": "%s",
                 "sslMode": "disable", "budget": %d}""".formatted(
                        service.server.port(), PostgresServer.USER, service.server.password(), CONNECTIONS));
        service.create("/api/v1/domains", """
                {"name": "%s", "database": "second", "wire": {"maxClients": 20000},
                 "policySet": {"policies": [{"plugin": "min-max", "parameters": {"min": 1, "max": %d}}],
                               "whenExhausted": {"mode": "queue", "timeoutMs": 60000, "depth": 20000}}}""".formatted(ATTACKED, CONNECTIONS));
        service.createClient(ATTACKED);
    }

    // ---- everything at once

    private void underAll(Folder folder) throws Exception {
        int seconds = quick ? 20 : 600;
        Side server = service.server.direct();
        Latencies _ = load(service.side(), folder, 20); // the JVM compiles
        Latencies before = load(service.side(), folder, quick ? 20 : 60);
        Latencies directBefore = load(server, folder, 20);
        long heap = service.footprint().heap();
        Latencies during;
        Latencies directDuring;
        try (Attacking attack = new Attacking(only, slowBesidesOthers())) {
            during = load(service.side(), folder, seconds);
            directDuring = load(server, folder, 20);
            attack.printOutcomes();
        }
        System.out.printf(
                "  all at once for %d s: p99 of a bystander %.1f ms, %.1f before: %.2fx (bar 1.5); failed %d (bar 0)%n",
                seconds, during.p99(), before.p99(), during.p99() / before.p99(), during.failed());
        System.out.printf(
                "    of %d transactions; the longest %.0f ms; directly at the server p99 %.1f ms, %.1f before%n",
                during.count(), during.longest(), directDuring.p99(), directBefore.p99());
        TimeUnit.SECONDS.sleep(quick ? 5 : SETTLE_SECONDS);
        long after = service.footprint().heap();
        System.out.printf(
                "  heap a minute later: %.0f MB, %.0f before: %+.0f %% (bar 10)%n",
                after / 1024.0, heap / 1024.0, 100.0 * (after - heap) / heap);
    }

    private int slowBesidesOthers() {
        if (!only.equals("all")) {
            return 0;
        }
        return quick ? 1_000 : SLOW_CONNECTIONS;
    }

    // ---- watchers

    private void underWatchers(Folder folder) throws Exception {
        int runs = quick ? 1 : 5;
        double[] alone = new double[runs];
        double[] watched = new double[runs];
        Latencies _ = load(service.side(), folder, 20);
        for (int run = 0; run < runs; run++) {
            alone[run] = load(service.side(), folder, 20).p99();
            try (Attacking attack = new Attacking("watchers", 0)) {
                TimeUnit.SECONDS.sleep(5); // until all have subscribed
                watched[run] = load(service.side(), folder, 20).p99();
                if (run == runs - 1) {
                    attack.printOutcomes();
                }
            }
        }
        System.out.println(
                "  200 pollers and 200 streams, 50 of which never read: p99 of a bystander with them / without "
                        + Figures.ratio(watched, alone).show("%.2f") + " (bar 1.1); with them "
                        + new Figures(watched).show("%.1f") + " ms");
    }

    // ---- slow connections

    private void underSlowConnections() throws Exception {
        int count = quick ? 2_000 : MANY_SLOW_CONNECTIONS;
        int seconds = quick ? 10 : 60;
        double liveness = 0;
        double api = 0;
        long heap = service.footprint().heap();
        try (Attacking attack = new Attacking("none", count)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() < end) {
                liveness = Math.max(liveness, millisOf("/actuator/health/liveness"));
                api = Math.max(api, millisOf("/api/v1/domains"));
                TimeUnit.MILLISECONDS.sleep(100);
            }
            System.out.printf(
                    "  %d slow connections for %d s: the slowest answer of liveness %.0f ms, of the API %.0f ms (bar 1000); %d files open, %.0f MB of heap more%n",
                    count,
                    seconds,
                    liveness,
                    api,
                    service.footprint().files(),
                    (service.footprint().heap() - heap) / 1024.0);
            attack.printOutcomes();
        }
    }

    /** Over a connection of its own, as a monitor asks. */
    private double millisOf(String path) throws IOException, InterruptedException {
        long began = System.nanoTime();
        service.getAnew(path);
        return (System.nanoTime() - began) / 1e6;
    }

    // ---- the orderly load

    private record Latencies(double[] sorted, long failed) {
        double p99() {
            return sorted[(int) Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)];
        }

        double longest() {
            return sorted[sorted.length - 1];
        }

        int count() {
            return sorted.length;
        }
    }

    private static Latencies load(Side side, Folder folder, int seconds) throws IOException, InterruptedException {
        Path prefix = folder.path().resolve("latency");
        String said = side.run(
                false,
                "pgbench",
                "-n",
                "-S",
                "-M",
                "prepared",
                "-c",
                String.valueOf(BYSTANDERS),
                "-R",
                String.valueOf(RATE),
                "-T",
                String.valueOf(seconds),
                "-l",
                "--log-prefix=" + prefix);
        List<Path> logs;
        try (Stream<Path> listed = Files.list(folder.path())) {
            logs = listed.filter(file -> file.getFileName().toString().startsWith("latency"))
                    .toList();
        }
        double[] millis = new double[0];
        for (Path log : logs) {
            double[] more = Files.readAllLines(log).stream()
                    .mapToDouble(line -> Double.parseDouble(line.split(" ", -1)[LATENCY_FIELD]) / 1_000)
                    .toArray();
            millis = java.util.stream.DoubleStream.concat(Arrays.stream(millis), Arrays.stream(more))
                    .toArray();
            Files.delete(log);
        }
        Arrays.sort(millis);
        long failed = said.lines()
                .filter(line -> line.startsWith("number of failed transactions:"))
                .mapToLong(line -> Long.parseLong(line.replaceFirst(".*: ([0-9]+).*", "$1")))
                .sum();
        return new Latencies(millis, failed);
    }

    // ---- the attackers' process

    /** A process may open 20,000 files on many systems, so that the slow connections may need more than one. */
    private final class Attacking implements AutoCloseable {
        private final List<Process> processes = new ArrayList<>();
        private final List<BufferedReader> said = new ArrayList<>();

        Attacking(String attacks, int slow) throws IOException {
            start(attacks, 0, Math.min(slow, MOST_OF_A_PROCESS));
            for (int first = MOST_OF_A_PROCESS; first < slow; first += MOST_OF_A_PROCESS) {
                start("none", first, Math.min(slow - first, MOST_OF_A_PROCESS));
            }
        }

        private void start(String attacks, int firstSlow, int slow) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(
                            "nice",
                            "-n",
                            "19",
                            System.getProperty("java.home") + "/bin/java",
                            "-Xmx4g",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "dev.headgate.bench.attacks.Attackers",
                            attacks,
                            String.valueOf(firstSlow),
                            String.valueOf(slow),
                            service.address(),
                            String.valueOf(service.wirePort()),
                            ATTACKED,
                            Service.DOMAIN)
                    .redirectErrorStream(true);
            builder.environment().put("HEADGATE_TOKEN", service.token());
            builder.environment().put("PGUSER", Service.CLIENT);
            builder.environment().put("PGPASSWORD", Service.PASSWORD);
            Process process = builder.start();
            processes.add(process);
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            said.add(reader);
            String line = reader.readLine();
            if (!"attacking".equals(line)) {
                throw new IOException("the attackers ended: " + line);
            }
        }

        /** Ends the attacks. */
        void printOutcomes() throws IOException {
            for (Process process : processes) {
                process.getOutputStream().close();
            }
            for (BufferedReader reader : said) {
                reader.lines().forEach(System.out::println);
            }
        }

        @Override
        public void close() throws InterruptedException {
            for (Process process : processes) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}
