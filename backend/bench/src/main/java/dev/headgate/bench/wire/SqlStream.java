package dev.headgate.bench.wire;

import java.io.IOException;

/** A million narrow rows to nowhere: psql's COPY, CSV and NDJSON, in turn. */
record SqlStream(Service service, boolean quick) {

    private static final int ROWS = 1_000_000;
    private static final int WARM_UPS = 3;

    /** Three narrow columns of so many rows. */
    static String narrow(int rows) {
        return "SELECT i AS aid, i % 7 AS bid, 0 AS abalance FROM generate_series(1, " + rows + ") AS i";
    }

    void measure() throws Exception {
        int runs = quick ? 3 : 9;
        String sql = narrow(ROWS);
        double[] copy = new double[runs];
        double[] csv = new double[runs];
        double[] ndjson = new double[runs];
        try (SqlReader first = SqlReader.of(service, Service.DOMAIN, "text/csv", sql);
                SqlReader second = SqlReader.of(service, Service.DOMAIN, "application/x-ndjson", sql)) {
            for (int run = -WARM_UPS; run < runs; run++) {
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
        new Comparison("CSV", 0.9, csv, copy).print("rows/s, psql COPY");
        new Comparison("NDJSON", 0.7, ndjson, copy).print("rows/s, psql COPY");
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
