package dev.headgate.bench.wire;

/** The time to the first row, of ten and of ten million. */
record SqlFirstRow(Service service, boolean quick) {

    private static final int FEW = 10;
    private static final int MANY = 10_000_000;

    void measure() throws Exception {
        int runs = quick ? 3 : 5;
        double[] few = new double[runs];
        double[] many = new double[runs];
        for (int run = -1; run < runs; run++) {
            double one = firstRow(FEW);
            double two = firstRow(MANY);
            if (run >= 0) {
                few[run] = one;
                many[run] = two;
            }
        }
        new Comparison("first row", 1.5, many, few).print("ms, 10 M and 10 rows");
    }

    private double firstRow(int rows) throws Exception {
        try (SqlReader reader = SqlReader.of(
                service,
                Service.DOMAIN,
                "application/x-ndjson",
                "SELECT a.aid, a.abalance FROM pgbench_accounts a, generate_series(1, 20) LIMIT " + rows)) {
            return reader.read(0).firstRowNanos() / 1e6;
        }
    }
}
