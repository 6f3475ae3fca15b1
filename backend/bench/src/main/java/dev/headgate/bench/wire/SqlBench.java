package dev.headgate.bench.wire;

import dev.headgate.bench.Figures;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code ./headgate bench sql [--quick] [--rows stream,point,first,heap,gallery]}: SQL over HTTP by a whole service, beside psql's
 * COPY and pgbench on the same PostgreSQL. Nothing is pinned: all share all cores.
 */
public final class SqlBench {

    /** What is measured. */
    private enum Row {
        STREAM,
        POINT,
        FIRST,
        HEAP,
        GALLERY
    }

    private static final int MILLION = 1_000_000;
    private static final String NARROW =
            "SELECT i AS aid, i %% 7 AS bid, 0 AS abalance FROM generate_series(1, %d) AS i";
    private static final String POINT = "SELECT abalance FROM pgbench_accounts WHERE aid = $1";
    private static final int CALLERS = 8;
    private static final int READERS = 128;

    /** The connections of the gallery's domain; the other readers wait at its gate. */
    private static final int GALLERY_CONNECTIONS = 32;

    private static final long THROTTLE = 2_000_000;

    private static final String GALLERY = """
            CREATE TABLE gallery AS SELECT i AS id, 'President ' || i AS name, date '1789-04-30' + i AS began,
            date '1797-03-04' + i AS ended, repeat(md5(i::text), 224) AS image, repeat('lorem ipsum ', 240) AS life
            FROM generate_series(1, 989) AS i""";

    private final Service service;
    private final boolean quick;

    private SqlBench(Service service, boolean quick) {
        this.service = service;
        this.quick = quick;
    }

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(List<String> arguments) throws Exception {
        boolean quick = false;
        Set<Row> rows = EnumSet.allOf(Row.class);
        Deque<String> left = new ArrayDeque<>(arguments);
        while (!left.isEmpty()) {
            String option = left.poll();
            if (option.equals("--quick")) {
                quick = true;
            } else if (option.equals("--rows") && !left.isEmpty()) {
                rows = RowNames.parse(Row.class, left.poll());
            } else {
                throw new IllegalArgumentException(
                        "does not know '" + option + "'; allowed are --quick, --rows " + RowNames.of(Row.class));
            }
        }
        if (rows.stream().anyMatch(row -> row != Row.GALLERY)) {
            try (Service service = Service.start()) {
                Cores.unpin(service.server.postmaster());
                service.server.direct().run(false, "pgbench", "-i", "-q", "-s", "5");
                SqlBench bench = new SqlBench(service, quick);
                for (Row row : rows) {
                    switch (row) {
                        case STREAM -> bench.stream();
                        case POINT -> bench.point();
                        case FIRST -> bench.first();
                        case HEAP -> bench.heap();
                        case GALLERY -> {}
                    }
                }
            }
        }
        if (rows.contains(Row.GALLERY)) {
            try (Service service = Service.start(Map.of("HEADGATE_JAVA_OPTIONS", "-Xmx64m"))) {
                Cores.unpin(service.server.postmaster());
                new SqlBench(service, quick).gallery();
            }
        }
    }

    private SqlReader reader(String domain, String accept, String sql) throws IOException {
        return new SqlReader(
                service.httpPort(),
                "/api/v1/domains/" + domain + "/sql",
                "Authorization: Bearer " + service.token() + "\r\nContent-Type: application/json\r\nAccept: " + accept
                        + "\r\n",
                "{\"sql\": \"" + sql + "\"}");
    }

    private int runs() {
        return quick ? 3 : 9;
    }

    // ---- rows

    /** A million narrow rows to nowhere: psql's COPY, CSV and NDJSON, in turn. */
    private void stream() throws Exception {
        String sql = NARROW.formatted(MILLION);
        double[] copy = new double[runs()];
        double[] csv = new double[runs()];
        double[] ndjson = new double[runs()];
        try (SqlReader first = reader(Service.DOMAIN, "text/csv", sql);
                SqlReader second = reader(Service.DOMAIN, "application/x-ndjson", sql)) {
            for (int run = -3; run < runs(); run++) { // the first warm up
                double one = perSecond(() -> copy(sql));
                double two = perSecond(() -> first.read(0));
                double three = perSecond(() -> second.read(0));
                if (run >= 0) {
                    copy[run] = one;
                    csv[run] = two;
                    ndjson[run] = three;
                }
            }
        }
        show("CSV", 0.9, csv, copy, "rows/s, psql COPY");
        show("NDJSON", 0.7, ndjson, copy, "rows/s, psql COPY");
    }

    private void copy(String sql) throws IOException, InterruptedException {
        Process psql = direct("psql", "-q", "-X", "-c", "COPY (" + sql + ") TO STDOUT")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (psql.waitFor() != 0) {
            throw new IOException("psql failed");
        }
    }

    /** A client program directly at the server, on all cores. */
    private ProcessBuilder direct(String... program) {
        Side direct = service.server.direct();
        ProcessBuilder builder = new ProcessBuilder(program);
        builder.environment()
                .putAll(Map.of(
                        "PGHOST", "127.0.0.1",
                        "PGPORT", String.valueOf(direct.port()),
                        "PGDATABASE", direct.database(),
                        "PGUSER", direct.user(),
                        "PGPASSWORD", direct.password()));
        return builder;
    }

    private interface Work {
        void run() throws Exception;
    }

    private static double perSecond(Work work) throws Exception {
        long began = System.nanoTime();
        work.run();
        return MILLION / ((System.nanoTime() - began) / 1e9);
    }

    private static void show(String name, double bar, double[] ours, double[] theirs, String unit) {
        System.out.printf(
                "  %-22s %5.2f of medians (bar %.2f), run by run %s; ours %s, theirs %s %s%n",
                name,
                new Figures(ours).median() / new Figures(theirs).median(),
                bar,
                Figures.ratio(ours, theirs).show("%.2f"),
                new Figures(ours).show("%.0f"),
                new Figures(theirs).show("%.0f"),
                unit);
    }

    /** A row by its key, eight callers: pgbench -S, the API, Neon's way, in turn. */
    private void point() throws Exception {
        int seconds = quick ? 3 : 5;
        double[] direct = new double[runs()];
        double[] api = new double[runs()];
        double[] neon = new double[runs()];
        for (int run = quick ? -2 : -4; run < runs(); run++) {
            double one = pgbench(seconds);
            double two = rate(
                    seconds,
                    caller -> new SqlReader(
                            service.httpPort(),
                            "/api/v1/domains/" + Service.DOMAIN + "/sql",
                            "Authorization: Bearer " + service.token() + "\r\nContent-Type: application/json\r\n",
                            "{\"sql\": \"" + POINT + "\", \"params\": [" + (caller + 1) + "]}"));
            double three = rate(
                    seconds,
                    caller -> new SqlReader(
                            service.httpPort(),
                            "/sql",
                            "Neon-Connection-String: postgresql://" + Service.CLIENT + ":" + Service.PASSWORD + "@x/"
                                    + Service.DOMAIN + "\r\nNeon-Raw-Text-Output: true\r\nNeon-Array-Mode: true\r\n",
                            "{\"query\": \"" + POINT + "\", \"params\": [\"" + (caller + 1) + "\"]}"));
            if (run >= 0) {
                direct[run] = one;
                api[run] = two;
                neon[run] = three;
            }
        }
        show("point, API", 0.35, api, direct, "requests/s, pgbench -S");
        show("point, /sql", 0.35, neon, direct, "requests/s, pgbench -S");
    }

    private double pgbench(int seconds) throws IOException, InterruptedException {
        Process process = direct("pgbench", "-n", "-S", "-c", "8", "-j", "2", "-T", String.valueOf(seconds))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        int at = said.indexOf("tps = ");
        if (at < 0) {
            throw new IOException("pgbench said " + said);
        }
        return Double.parseDouble(said.substring(at + 6, said.indexOf(' ', at + 6)));
    }

    private interface Opening {
        SqlReader open(int caller) throws IOException;
    }

    /** Requests per second of all callers together. */
    private static double rate(int seconds, Opening opening) throws Exception {
        AtomicLong answered = new AtomicLong();
        AtomicInteger failed = new AtomicInteger();
        long until = System.nanoTime() + seconds * 1_000_000_000L;
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            int caller = i;
            callers.add(Thread.ofPlatform().start(() -> {
                try (SqlReader reader = opening.open(caller)) {
                    while (System.nanoTime() < until) {
                        SqlReader.Reading _ = reader.read(0);
                        answered.incrementAndGet();
                    }
                } catch (IOException | InterruptedException e) {
                    failed.incrementAndGet();
                    System.out.println("  a caller failed: " + e.getMessage());
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        if (failed.get() > 0) {
            throw new IOException(failed.get() + " callers failed");
        }
        return answered.get() / (double) seconds;
    }

    /** The time to the first row, of ten and of ten million. */
    private void first() throws Exception {
        int runs = quick ? 3 : 5;
        double[] few = new double[runs];
        double[] many = new double[runs];
        for (int run = -1; run < runs; run++) {
            double one = firstRow(10);
            double two = firstRow(10 * MILLION);
            if (run >= 0) {
                few[run] = one;
                many[run] = two;
            }
        }
        show("first row", 1.5, many, few, "ms, 10 M and 10 rows");
    }

    private double firstRow(int rows) throws Exception {
        try (SqlReader reader = reader(
                Service.DOMAIN,
                "application/x-ndjson",
                "SELECT a.aid, a.abalance FROM pgbench_accounts a, generate_series(1, 20) LIMIT " + rows)) {
            return reader.read(0).firstRowNanos() / 1e6;
        }
    }

    /** The heap in use before, while and after ten million rows stream. */
    private void heap() throws Exception {
        Footprint footprint = service.footprint();
        long before = footprint.live();
        long most = before;
        CountDownLatch over = new CountDownLatch(1);
        Thread streaming = Thread.ofPlatform().start(() -> {
            try (SqlReader reader = reader(Service.DOMAIN, "application/x-ndjson", NARROW.formatted(10 * MILLION))) {
                SqlReader.Reading _ = reader.read(0);
            } catch (IOException | InterruptedException e) {
                System.out.println("  the stream failed: " + e.getMessage());
            } finally {
                over.countDown();
            }
        });
        while (over.getCount() > 0) {
            most = Math.max(most, footprint.live());
        }
        streaming.join();
        System.out.printf(
                "  %-22s %.1f MB more at most while 10 M rows streamed (bar 8), %.1f MB before%n",
                "heap", (most - before) / 1024.0, before / 1024.0);
    }

    /** 128 readers of ten megabytes each from a service with 64 MB, then the same in memory. */
    private void gallery() throws Exception {
        service.server.direct().sql(GALLERY);
        service.create("/api/v1/databases", """
                {"name": "gallery", "host": "127.0.0.1", "port": %d, "database": "%s", "user": "%s", "password": "%s",
                 "sslMode": "disable", "budget": %d}""".formatted(
                        service.server.port(),
                        PostgresServer.DATABASE,
                        PostgresServer.USER,
                        service.server.password(),
                        GALLERY_CONNECTIONS));
        service.create("/api/v1/domains", """
                {"name": "gallery", "database": "gallery", "policySet": {"policies": [{"plugin": "min-max", "parameters": {"min": 1, "max": %d}}],
                 "whenExhausted": {"mode": "queue", "timeoutMs": 600000, "depth": 10000}}}""".formatted(GALLERY_CONNECTIONS));
        AtomicInteger complete = new AtomicInteger();
        long began = System.nanoTime();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(Thread.ofPlatform().start(() -> {
                try (SqlReader reader = reader("gallery", "application/x-ndjson", "SELECT * FROM gallery")) {
                    if (reader.read(THROTTLE).bytes() > 9_000_000) {
                        complete.incrementAndGet();
                    }
                } catch (IOException | InterruptedException e) {
                    System.out.println("  a reader failed: " + e.getMessage());
                }
            }));
        }
        for (Thread reader : readers) {
            reader.join();
        }
        System.out.printf(
                "  %-22s %d of %d readers complete (bar: all) in %.1f s, %d connections, 64 MB heap; %s%n",
                "gallery",
                complete.get(),
                READERS,
                (System.nanoTime() - began) / 1e9,
                GALLERY_CONNECTIONS,
                materialised());
    }

    /** The same rows as objects of JDBC, in a JVM of that size that does nothing else. */
    private String materialised() throws IOException, InterruptedException {
        Side direct = service.server.direct();
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Materialised.class.getName(),
                        "jdbc:postgresql://127.0.0.1:" + direct.port() + "/" + direct.database(),
                        direct.user(),
                        direct.password(),
                        String.valueOf(GALLERY_CONNECTIONS))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        int code = process.waitFor();
        return said.contains("OutOfMemoryError")
                ? "materialised by JDBC: OutOfMemoryError"
                : "materialised by JDBC: ended with " + code + " " + said.strip();
    }
}
