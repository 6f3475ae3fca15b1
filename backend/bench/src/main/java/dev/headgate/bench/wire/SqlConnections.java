package dev.headgate.bench.wire;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.headgate.bench.Figures;
import dev.headgate.lab.web.HttpConnections;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A row by its key over 10,000 open connections, and over 100, in turn at the same rate: half of what the service answers at most. The
 * requests go round all connections; the domain has twenty to PostgreSQL.
 */
record SqlConnections(Service service, boolean quick) {

    private static final int FEW = 100;
    private static final int MANY = 10_000;
    private static final int MANY_QUICK = 2_000;
    private static final int DATABASE_CONNECTIONS = 20;
    private static final double BAR = 3;
    private static final int MOST_THREADS = 64;
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

    static void measure(boolean quick) throws Exception {
        ensureFiles(quick ? MANY_QUICK : MANY);
        try (Service service = Service.start(SETTINGS)) {
            Cores.unpin(service.server.postmaster());
            service.server.direct().run(false, "pgbench", "-i", "-q", "-s", "5");
            service.createDomain(
                    DOMAIN, service.server.port(), PostgresServer.DATABASE, DATABASE_CONNECTIONS, DATABASE_CONNECTIONS);
            new SqlConnections(service, quick).run();
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
        List<HttpConnections.Load> few = new ArrayList<>();
        List<HttpConnections.Load> crowd = new ArrayList<>();
        long threads = 0;
        for (int run = 0; run < runs; run++) {
            few.add(load(FEW, rate, run));
            crowd.add(load(many, rate, run));
            threads = Math.max(threads, service.footprint().threads());
        }
        show(FEW, few);
        show(many, crowd);
        System.out.printf(
                "  %-22s p99 %s times (bar %.1f) at %.0f requests/s; %d operating-system threads (bar under %d), %d MB resident%n",
                "connections",
                Figures.ratio(p99(crowd), p99(few)).show("%.2f"),
                BAR,
                rate,
                threads,
                MOST_THREADS,
                service.footprint().resident() / 1024);
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
                System.out.printf(
                        "  %-22s %.0f requests/s over %d connections, each with its next one at once; the generator takes %.2f cores%n",
                        "saturation", most[i], FEW, load.cores());
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

    private static double[] p99(List<HttpConnections.Load> loads) {
        return loads.stream().mapToDouble(load -> load.millisAt(99)).toArray();
    }

    private static double[] median(List<HttpConnections.Load> loads) {
        return loads.stream().mapToDouble(load -> load.millisAt(50)).toArray();
    }

    private static void show(int connections, List<HttpConnections.Load> loads) {
        double late = new Figures(loads.stream()
                        .mapToDouble(load -> load.lateMicros().getValueAtPercentile(99) / 1e3)
                        .toArray())
                .median();
        double cores = new Figures(
                        loads.stream().mapToDouble(HttpConnections.Load::cores).toArray())
                .median();
        double p99 = new Figures(p99(loads)).median();
        System.out.printf(
                "  %-22s p50 %s, p99 %s ms; %d requests, none failed; the generator takes %.2f cores and sends with p99 %.2f ms after the schedule%s%n",
                connections + " connections",
                new Figures(median(loads)).show("%.2f"),
                new Figures(p99(loads)).show("%.2f"),
                loads.stream().mapToLong(load -> load.micros().getTotalCount()).sum(),
                cores,
                late,
                cores > BUSY || late > BUSY * p99 ? ": it was the bottleneck, the ratio does not count" : "");
    }
}
