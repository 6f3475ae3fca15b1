package dev.headgate.bench.wire;

import dev.headgate.bench.Sheet;

/** The time to the first row, of ten and of ten million. */
record SqlFirstRow(Sheet sheet, Service service, boolean quick) {

    private static final int FEW = 10;
    private static final int MANY = 10_000_000;
    private static final String MILLIS = "ms to the first row";

    void measure() throws Exception {
        int runs = quick ? 3 : 5;
        Sheet.Entry few = sheet.entry("first", "10 rows");
        Sheet.Entry many = sheet.entry("first", "10 M rows");
        for (int run = -1; run < runs; run++) {
            double one = firstRow(FEW);
            double two = firstRow(MANY);
            if (run >= 0) {
                few.add(MILLIS, "%.1f", one);
                many.add(MILLIS, "%.1f", two);
            }
        }
        many.times(few, MILLIS, "at most 1.5");
        sheet.print();
    }

    private double firstRow(int rows) throws Exception {
        try (SqlReader reader = SqlReader.of(
                service,
                Service.DOMAIN,
                "application/x-ndjson",
                "SELECT a.aid, a.abalance FROM pgbench_accounts a, generate_series(1, 20) LIMIT " + rows)) {
            SqlReader.Reading reading = reader.read(0);
            reading.requireRows(rows);
            return reading.firstRowNanos() / 1e6;
        }
    }
}
