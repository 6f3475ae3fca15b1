package dev.headgate.bench.wire;

import dev.headgate.bench.Sheet;
import java.io.IOException;

/** A million narrow rows to nowhere: psql's COPY, CSV and NDJSON, in turn. */
record SqlStream(Sheet sheet, Service service, boolean quick) {

    private static final int ROWS = 1_000_000;
    private static final int WARM_UPS = 3;
    private static final String RATE = "rows/s";

    /** Three narrow columns of so many rows. */
    static String narrow(int rows) {
        return "SELECT i AS aid, i % 7 AS bid, 0 AS abalance FROM generate_series(1, " + rows + ") AS i";
    }

    void measure() throws Exception {
        int runs = quick ? 3 : 9;
        String sql = narrow(ROWS);
        Sheet.Entry copy = sheet.entry("stream", "psql COPY");
        Sheet.Entry csv = sheet.entry("stream", "CSV");
        Sheet.Entry ndjson = sheet.entry("stream", "NDJSON");
        try (SqlReader first = SqlReader.of(service, Service.DOMAIN, "text/csv", sql);
                SqlReader second = SqlReader.of(service, Service.DOMAIN, "application/x-ndjson", sql)) {
            for (int run = -WARM_UPS; run < runs; run++) {
                double one = perSecond(() -> copy(sql));
                double two = perSecond(() -> first.read(0).requireLast(ROWS + "," + ROWS % 7 + ",0"));
                double three = perSecond(() -> second.read(0).requireRows(ROWS));
                if (run >= 0) {
                    copy.add(RATE, "%.0f", one);
                    csv.add(RATE, "%.0f", two);
                    ndjson.add(RATE, "%.0f", three);
                }
            }
        }
        csv.times(copy, RATE, "at least 0.9");
        ndjson.times(copy, RATE, "at least 0.7");
        sheet.print();
    }

    private void copy(String sql) throws IOException, InterruptedException {
        Process psql = service.server
                .direct()
                .unpinned("psql", "-q", "-X", "-c", "COPY (" + sql + ") TO STDOUT")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (psql.waitFor() != 0) {
            throw new IOException("psql failed");
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static double perSecond(Work work) throws Exception {
        long began = System.nanoTime();
        work.run();
        return ROWS / ((System.nanoTime() - began) / 1e9);
    }
}
