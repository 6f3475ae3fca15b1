package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import dev.headgate.bench.RowNames;
import dev.headgate.bench.Sheet;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code ./headgate bench attacks [--quick] [--rows all,watchers,long,slow,clients] [--only NAMES]}: a whole service with a heap of
 * 512 MB under hostile callers, beside an orderly domain. The callers run in a process of their own that gets only what nobody else
 * wants of the processor ({@code SCHED_IDLE}, without {@link Autogroups}), so that what is measured is what they make the service do
 * and not the work of sending. Latencies are pgbench's, from the scheduled start of each transaction. {@code --only} names some of
 * the attacks of the row {@code all}, separated by commas.
 */
public final class AttacksBench {

    private enum Row {
        ALL,
        WATCHERS,
        LONG,
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
    private static final String P99 = "p99 of a bystander, ms";
    private static final String P99_BEFORE = "p99 before, ms";
    private static final String P99_DURING = "p99 during, ms";

    /** What the attackers' process says at its end: an attack, and how often each thing came of it. */
    private static final Pattern OUTCOME = Pattern.compile(" +(.+): (\\{.*})");

    private final Sheet sheet;
    private final Service service;
    private final boolean quick;
    private final String only;

    private AttacksBench(Sheet sheet, Service service, boolean quick, String only) {
        this.sheet = sheet;
        this.service = service;
        this.quick = quick;
        this.only = only;
    }

    /** @throws IllegalArgumentException for an unknown option or row */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
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
            try (Autogroups _ = Autogroups.off();
                    Service service = Service.start();
                    Folder folder = Folder.create("attacks")) {
                new AttacksBench(sheet, service, quick, only).measure(row, folder);
            }
        }
    }

    private void measure(Row row, Folder folder) throws Exception {
        prepare();
        switch (row) {
            case ALL -> underAll(folder);
            case WATCHERS -> besides("watchers", "watchers", folder);
            case LONG -> besides("long", "long requests", folder);
            case SLOW -> underSlowConnections();
            case CLIENTS -> new ManyClients(sheet, service, ATTACKED, quick).measure();
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
        String row = only.equals("all") ? "all" : "only " + only;
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
            attack.noteOutcomes(row);
        }
        Sheet.Entry bystander = sheet.entry(row, "a bystander");
        bystander.add("s", "%.0f", seconds);
        bystander.add(P99_BEFORE, "%.1f", before.p99());
        bystander.add(P99_DURING, "%.1f", during.p99());
        bystander.add("p99 during by before", "%.2f", "at most 1.5", during.p99() / before.p99());
        bystander.add("longest, ms", "%.0f", during.longest());
        bystander.add("transactions", "%,.0f", during.count());
        bystander.add("failed", "%.0f", "0", during.failed());
        Sheet.Entry directly = sheet.entry(row, "directly at the server");
        directly.add(P99_BEFORE, "%.1f", directBefore.p99());
        directly.add(P99_DURING, "%.1f", directDuring.p99());
        TimeUnit.SECONDS.sleep(quick ? 5 : SETTLE_SECONDS);
        long after = service.footprint().heap();
        Sheet.Entry headgate = sheet.entry(row, "the service");
        headgate.add("heap before, MB", "%.0f", heap / 1024.0);
        headgate.add("heap a minute later, MB", "%.0f", after / 1024.0);
        headgate.add("heap more, %", "%+.0f", "at most 10", 100.0 * (after - heap) / heap);
        sheet.print();
    }

    private int slowBesidesOthers() {
        if (!only.equals("all")) {
            return 0;
        }
        return quick ? 1_000 : SLOW_CONNECTIONS;
    }

    // ---- callers who ask for much and mean no harm

    /**
     * @param row also the name of their attacks
     * @param callers what they are called in the row
     */
    private void besides(String row, String callers, Folder folder) throws Exception {
        int runs = quick ? 1 : 5;
        Sheet.Entry without = sheet.entry(row, "without " + callers);
        Sheet.Entry with = sheet.entry(row, "with " + callers);
        Side server = service.server.direct();
        Latencies _ = load(service.side(), folder, 20);
        Sheet.Entry directly = sheet.entry(row, "directly at the server");
        directly.add(P99_BEFORE, "%.1f", load(server, folder, 20).p99());
        for (int run = 0; run < runs; run++) {
            without.add(P99, "%.1f", load(service.side(), folder, 20).p99());
            try (Attacking attack = new Attacking(row, 0)) {
                TimeUnit.SECONDS.sleep(5); // until all have subscribed
                with.add(P99, "%.1f", load(service.side(), folder, 20).p99());
                if (run == runs - 1) {
                    directly.add(P99_DURING, "%.1f", load(server, folder, 20).p99());
                    attack.noteOutcomes(row);
                }
            }
        }
        with.timesRunByRun(without, P99, "at most 1.1");
        sheet.print();
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
            Sheet.Entry headgate = sheet.entry("slow", "the service");
            headgate.add("slow connections", "%,.0f", count);
            headgate.add("s", "%.0f", seconds);
            headgate.add("slowest answer of liveness, ms", "%.0f", "at most 1,000", liveness);
            headgate.add("slowest answer of the API, ms", "%.0f", "at most 1,000", api);
            headgate.add("open files", "%,.0f", service.footprint().files());
            headgate.add("heap more, MB", "%.0f", (service.footprint().heap() - heap) / 1024.0);
            attack.noteOutcomes("slow");
            sheet.print();
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
                            "chrt",
                            "--idle",
                            "0",
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
        void noteOutcomes(String row) throws IOException {
            for (Process process : processes) {
                process.getOutputStream().close();
            }
            for (int i = 0; i < said.size(); i++) {
                Sheet.Entry attackers = sheet.entry(row, i == 0 ? "attackers" : "attackers, process " + (i + 1));
                said.get(i).lines().forEach(line -> {
                    Matcher outcome = OUTCOME.matcher(line);
                    if (outcome.matches()) {
                        attackers.answer(outcome.group(1), outcome.group(2));
                    } else {
                        System.out.println(line);
                    }
                });
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
