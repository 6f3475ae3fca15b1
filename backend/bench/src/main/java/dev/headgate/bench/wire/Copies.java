package dev.headgate.bench.wire;

import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** COPY of a gigabyte, to a client that discards it and from a client that generates it. */
record Copies(Sheet sheet, Service service, Side ours, List<Side> theirs, Options<?> options) {

    private static final int LINES = 1_073_742;
    private static final int LINE = 1_000;
    private static final String RATE = "GB/s";

    /** COPY out of generated rows. */
    private static final String OUT =
            "copy (select repeat('x', %d) from generate_series(1, %d)) to stdout".formatted(LINE, LINES);

    /** COPY in. The server reads every line and, by the condition, keeps none. */
    private static final String IN =
            "\\copy copied from program 'yes %s | head -n %d' where false".formatted("x".repeat(LINE - 1), LINES);

    void measure() throws Exception {
        service.server.direct().sql("create table if not exists copied (line text)");
        measure("COPY out 1 GB", OUT);
        measure("COPY in 1 GB", IN);
    }

    private void measure(String name, String command) throws Exception {
        int runs = options.quick() ? 1 : 5;
        Sheet.Entry mine = sheet.entry(name, "Headgate");
        for (int run = 0; run < runs; run++) {
            mine.add(RATE, "%.2f", rate(ours, command));
            for (Side peer : theirs) {
                sheet.entry(name, peer.name()).add(RATE, "%.2f", rate(peer, command));
            }
        }
        for (Side peer : theirs) {
            String bar = peer.equals(theirs.getFirst()) ? "at least 1.0" : "none";
            mine.times(sheet.entry(name, peer.name()), RATE, bar);
        }
        mine.add("heap in the middle of it, MB more", "%+.1f", "flat", growth(command) / 1024.0);
        sheet.print();
    }

    private static double rate(Side side, String command) throws Exception {
        long began = System.nanoTime();
        side.run(false, program(command));
        return 1e9 / (System.nanoTime() - began);
    }

    /** Growth of the heap in KB, in a separate copy that is not timed. */
    private long growth(String command) throws Exception {
        long before = service.footprint().heap();
        Process copying = ours.start(false, program(command));
        copying.waitFor(1, TimeUnit.SECONDS);
        long within = service.footprint().heap();
        if (!copying.isAlive()) {
            System.out.println("  the copy was over before the heap was looked at");
        }
        String said = new String(copying.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (copying.waitFor() != 0) {
            throw new IllegalStateException("the copy failed: " + said);
        }
        return within - before;
    }

    private static String[] program(String command) {
        return new String[] {"psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-c", command};
    }
}
