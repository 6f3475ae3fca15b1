package dev.headgate.bench.wire;

import dev.headgate.bench.Sheet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A row by its key, eight callers: pgbench -S, the API, Neon's way, in turn. */
record SqlPoint(Sheet sheet, Service service, boolean quick) {

    private static final String POINT = "SELECT abalance FROM pgbench_accounts WHERE aid = $1";
    private static final int CALLERS = 8;
    private static final String RATE = "requests/s";

    void measure() throws Exception {
        int runs = quick ? 3 : 9;
        int seconds = quick ? 3 : 5;
        Sheet.Entry direct = sheet.entry("point", "pgbench -S");
        Sheet.Entry api = sheet.entry("point", "the API");
        Sheet.Entry neon = sheet.entry("point", "/sql");
        for (int run = quick ? -2 : -4; run < runs; run++) {
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
                direct.add(RATE, "%.0f", one);
                api.add(RATE, "%.0f", two);
                neon.add(RATE, "%.0f", three);
            }
        }
        api.times(direct, RATE, "at least 0.35");
        neon.times(direct, RATE, "at least 0.35");
        sheet.print();
    }

    private double pgbench(int seconds) throws IOException, InterruptedException {
        Process process = service.server
                .direct()
                .unpinned("pgbench", "-n", "-S", "-c", "8", "-j", "2", "-T", String.valueOf(seconds))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
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
}
