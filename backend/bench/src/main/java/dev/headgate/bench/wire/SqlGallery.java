package dev.headgate.bench.wire;

import dev.headgate.bench.Cores;
import dev.headgate.bench.Sheet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** 128 throttled readers of ten megabytes each from a service with a heap of 64 MB, then the same in memory. */
record SqlGallery(Sheet sheet, Service service) {

    private static final String NAME = "gallery";
    private static final int READERS = 128;

    /** Of the domain; the other readers wait at its gate. */
    private static final int CONNECTIONS = 32;

    private static final long THROTTLE = 2_000_000;
    private static final int ROWS = 989;

    private static final String TABLE = """
            CREATE TABLE gallery AS SELECT i AS id, 'President ' || i AS name, date '1789-04-30' + i AS began,
            date '1797-03-04' + i AS ended, repeat(md5(i::text), 224) AS image, repeat('lorem ipsum ', 240) AS life
            FROM generate_series(1, %d) AS i""".formatted(ROWS);

    static void measure(Sheet sheet) throws Exception {
        try (Service service = Service.start(Map.of("HEADGATE_JAVA_OPTIONS", "-Xmx64m"))) {
            Cores.unpin(service.server.postmaster());
            service.server.direct().sql(TABLE);
            service.createDomain(NAME, service.server.port(), PostgresServer.DATABASE, 1, CONNECTIONS);
            new SqlGallery(sheet, service).read();
        }
    }

    private void read() throws Exception {
        AtomicInteger complete = new AtomicInteger();
        long began = System.nanoTime();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(Thread.ofPlatform().start(() -> {
                try (SqlReader reader = SqlReader.of(service, NAME, "application/x-ndjson", "SELECT * FROM gallery")) {
                    reader.read(THROTTLE).requireRows(ROWS);
                    complete.incrementAndGet();
                } catch (IOException | InterruptedException e) {
                    System.out.println("  a reader failed: " + e.getMessage());
                }
            }));
        }
        for (Thread reader : readers) {
            reader.join();
        }
        Sheet.Entry headgate = sheet.entry("gallery", "the service");
        headgate.add("readers", "%.0f", READERS);
        headgate.add("complete", "%.0f", "all", complete.get());
        headgate.add("s", "%.1f", (System.nanoTime() - began) / 1e9);
        headgate.add("connections", "%.0f", CONNECTIONS);
        sheet.entry("gallery", "materialised by JDBC").answer("in 64 MB", materialised());
        sheet.print();
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
                        String.valueOf(CONNECTIONS))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        return said.contains("OutOfMemoryError") ? "OutOfMemoryError" : "ended with " + code + " " + said.strip();
    }
}
