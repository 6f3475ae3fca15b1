package dev.headgate.bench.wire;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.headgate.bench.Cores;
import dev.headgate.bench.Figures;
import dev.headgate.bench.Sheet;
import dev.headgate.lab.web.HttpConnections;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A row by its key over 10,000 open connections, and over 100, in turn at the same rate: half of what the service answers at most. The
 * requests go round all connections; the domain has twenty to PostgreSQL.
 */
record SqlConnections(Sheet sheet, Service service, boolean quick) {

    private static final int FEW = 100;
    private static final int MANY = 10_000;
    private static final int MANY_QUICK = 2_000;
    private static final int DATABASE_CONNECTIONS = 20;
    private static final String ROW = "connections";
    private static final String P99 = "p99, ms";
    private static final String CORES = "the generator, cores";
    private static final String LATE = "p99 of its lateness, ms";
    private static final String DOMAIN = "crowd";
    private static final int FILES_BESIDE = 500;

    /** Over this share of a core, or this part of the latency, the generator may have been the bottleneck. */
    private static final double BUSY = 0.5;

    /**
     * What 10,000 connections of one address need: the service allows as many as a quarter of the heap holds, 1,000 from an address, and
     * closes one that is idle for 30 s.
     */
    private static final Map<String, String> SETTINGS = Map.of(
            "HEADGATE_JAVA_OPTIONS", "-Xmx2400m",
            "HEADGATE_LIMITS_CONNECTIONSPERADDRESS", "11000",
            "SERVER_TOMCAT_MAXCONNECTIONS", "11000",
            "SERVER_TOMCAT_KEEPALIVETIMEOUT", "10m");

    static void measure(Sheet sheet, boolean quick) throws Exception {
        ensureFiles(quick ? MANY_QUICK : MANY);
        try (Service service = Service.start(SETTINGS)) {
            Cores.unpin(service.server.postmaster());
            service.server.direct().run(false, "pgbench", "-i", "-q", "-s", "5");
            service.createDomain(
                    DOMAIN, service.server.port(), PostgresServer.DATABASE, DATABASE_CONNECTIONS, DATABASE_CONNECTIONS);
            new SqlConnections(sheet, service, quick).run();
        }
    }

    /** The service has the same limit as this process. */
    private static void ensureFiles(int connections) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                && system.getMaxFileDescriptorCount() < connections + FILES_BESIDE) {
            throw new IllegalStateException("the row 'connections' needs " + (connections + FILES_BESIDE)
                    + " open files in each process, and " + system.getMaxFileDescriptorCount()
                    + " are allowed: raise the limit by ulimit -n");
        }
    }

    private void run() throws Exception {
        double rate = saturation() / 2;
        int many = quick ? MANY_QUICK : MANY;
        int runs = quick ? 2 : 7;
        Sheet.Entry few = sheet.entry(ROW, connections(FEW));
        Sheet.Entry crowd = sheet.entry(ROW, connections(many));
        long threads = 0;
        for (int run = 0; run < runs; run++) {
            note(few, load(FEW, rate, run));
            note(crowd, load(many, rate, run));
            threads = Math.max(threads, service.footprint().threads());
        }
        boolean bottleneck = isBottleneck(few) || isBottleneck(crowd);
        crowd.timesRunByRun(
                few, P99, "at most 3" + (bottleneck ? ", the generator was the bottleneck: does not count" : ""));
        crowd.add("operating-system threads", "%.0f", "under 64", threads);
        crowd.add("resident, MB", "%.0f", service.footprint().resident() / 1024.0);
        sheet.print();
    }

    /** Returns the most requests per second over 100 connections, after the JVMs have compiled what they need. */
    private double saturation() throws Exception {
        double[] most = new double[3];
        try (HttpConnections loop = new HttpConnections(service.httpPort(), FEW, requests(0))) {
            HttpConnections.Load _ = loop.saturate(quick ? 8 : 30);
            for (int i = 0; i < most.length; i++) {
                HttpConnections.Load load = loop.saturate(quick ? 3 : 10);
                ensureComplete(load);
                most[i] = load.perSecond();
                Sheet.Entry saturation = sheet.entry("connections: saturation", connections(FEW));
                saturation.add("requests/s, each with its next one at once", "%.0f", load.perSecond());
                saturation.add(CORES, "%.2f", load.cores());
            }
        }
        return new Figures(most).median();
    }

    private HttpConnections.Load load(int connections, double rate, int seed) throws Exception {
        try (HttpConnections loop = new HttpConnections(service.httpPort(), connections, requests(seed))) {
            int round = (int) Math.ceil(connections / rate) + 1; // until each has carried a request
            ensureComplete(loop.run(rate, round, -1 - seed));
            HttpConnections.Load load = loop.run(rate, quick ? 5 : 20, seed);
            ensureComplete(load);
            return load;
        }
    }

    private static void ensureComplete(HttpConnections.Load load) throws IOException {
        if (load.failed() > 0) {
            throw new IOException(load.failed() + " requests failed (bar 0), the first: " + load.failure());
        }
    }

    private Supplier<byte[]> requests(long seed) throws IOException {
        Random random = new Random(seed);
        String head = "POST /api/v1/domains/" + DOMAIN + "/sql HTTP/1.1\r\nHost: localhost\r\n"
                + SqlReader.headers(service, "application/x-ndjson") + "Content-Length: ";
        return () -> {
            String body = "{\"sql\":\"SELECT abalance FROM pgbench_accounts WHERE aid = $1\",\"params\":["
                    + (1 + random.nextInt(500_000)) + "]}";
            return (head + body.length() + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII);
        };
    }

    private static String connections(int number) {
        return "%,d connections".formatted(number);
    }

    private static void note(Sheet.Entry entry, HttpConnections.Load load) {
        entry.add("requests/s", "%.0f", load.perSecond());
        entry.add("p50, ms", "%.2f", load.millisAt(50));
        entry.add(P99, "%.2f", load.millisAt(99));
        entry.add("requests, none failed", "%.0f", load.micros().getTotalCount());
        entry.add(CORES, "%.2f", load.cores());
        entry.add(LATE, "%.2f", load.lateMicros().getValueAtPercentile(99) / 1e3);
    }

    /** Whether the generator may have been the bottleneck. */
    private static boolean isBottleneck(Sheet.Entry entry) {
        return entry.median(CORES) > BUSY || entry.median(LATE) > BUSY * entry.median(P99);
    }
}
