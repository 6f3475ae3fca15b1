package dev.headgate.bench.wire;

import dev.headgate.bench.Figures;
import dev.headgate.bench.Sheet;
import dev.headgate.lab.link.DelayedLink;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;

/**
 * One request for a row of each of several databases, at a round trip of 1 ms more between the service and PostgreSQL. Each domain
 * has a database of its own on the one server.
 */
record SqlFork(Sheet sheet, Service service, boolean quick) {

    private static final Duration ROUND_TRIP = Duration.ofMillis(1);
    private static final int MOST = 8;
    private static final int[] BRANCHES = {1, 2, 4, MOST};
    private static final int ROWS = 10_000;
    private static final String MILLIS = "ms";
    private static final String TABLE =
            "CREATE TABLE item AS SELECT i AS id, md5(i::text) AS title FROM generate_series(1, " + ROWS
                    + ") AS i; ALTER TABLE item ADD PRIMARY KEY (id); ANALYZE item";

    void measure() throws Exception {
        try (DelayedLink link = DelayedLink.to(service.server.port(), ROUND_TRIP);
                SqlReader reader = new SqlReader(
                        service.httpPort(),
                        "/api/v1/sql/scatter",
                        SqlReader.headers(service, "application/x-ndjson"),
                        "")) {
            sheet.entry("fork: the link", "1 ms")
                    .add(
                            "added to a round trip as calibrated, ms",
                            "%.3f",
                            link.added().toNanos() / 1e6);
            for (int i = 0; i < MOST; i++) {
                service.server.direct().sql("CREATE DATABASE " + database(i));
                service.server.direct(database(i)).sql(TABLE);
                service.createDomain(database(i), link.port(), database(i), 1, 2);
            }
            measure(reader);
            for (int i = 0; i < MOST; i++) {
                service.deleteDomain(database(i));
            }
        }
    }

    private static String database(int number) {
        return "fork" + number;
    }

    /** Adds the median milliseconds of many requests, by number of branches and run. */
    private void measure(SqlReader reader) throws IOException, InterruptedException {
        int runs = quick ? 3 : 15;
        int requests = quick ? 50 : 300;
        Random random = new Random(16);
        for (int run = -2; run < runs; run++) { // the first warm up
            double[][] each = new double[BRANCHES.length][requests];
            for (int request = 0; request < requests; request++) {
                for (int i = 0; i < BRANCHES.length; i++) {
                    each[i][request] = scatter(reader, BRANCHES[i], random);
                }
            }
            for (int i = 0; run >= 0 && i < BRANCHES.length; i++) {
                entry(BRANCHES[i]).add(MILLIS, "%.2f", new Figures(each[i]).median());
            }
        }
        for (int branches : BRANCHES) {
            if (branches == MOST) {
                entry(branches).timesRunByRun(entry(1), MILLIS, "at most 1.3");
            } else if (branches > 1) {
                entry(branches).timesRunByRun(entry(1), MILLIS);
            }
        }
        sheet.print();
    }

    private Sheet.Entry entry(int branches) {
        return sheet.entry("fork", branches == 1 ? "1 domain" : branches + " domains");
    }

    private static double scatter(SqlReader reader, int branches, Random random)
            throws IOException, InterruptedException {
        StringBuilder body = new StringBuilder("{\"branches\":[");
        for (int i = 0; i < branches; i++) {
            body.append(i == 0 ? "" : ",")
                    .append("{\"domain\":\"")
                    .append(database(i))
                    .append("\",\"sql\":\"SELECT id, title FROM item WHERE id = $1\",\"params\":[")
                    .append(1 + random.nextInt(ROWS))
                    .append("]}");
        }
        reader.ask(body.append("],\"onError\":\"fail\"}").toString());
        long began = System.nanoTime();
        String answer = reader.readText();
        double millis = (System.nanoTime() - began) / 1e6;
        if (!answer.contains("{\"end\":{\"rows\":" + branches + ",")) {
            throw new IOException("not every branch has answered: " + answer);
        }
        return millis;
    }
}
