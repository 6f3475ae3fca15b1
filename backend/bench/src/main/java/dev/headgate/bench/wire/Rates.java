package dev.headgate.bench.wire;

import dev.headgate.bench.Figures;
import dev.headgate.bench.Options;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Transactions per second by pgbench, through each side in turn. */
record Rates(Side ours, Side theirs, Options<Group> options) {

    /** Rows that are selected together. The last two are not rates. */
    enum Group {
        SIMPLE,
        PREPARED,
        EXTENDED,
        TLS,
        TPCB,
        IDLE,
        COPY
    }

    /** TPC-B's runs vary much because all clients wait for one row, so it takes more of them. */
    private static final int LOCKED_RUNS = 21;

    /** A run in which the pooler waits for its core for more than this share does not count. */
    private static final double DISTURBED = 0.2;

    private static final int[] CLIENTS = {1, 8, 100};

    /**
     * One row.
     *
     * @param bar the ratio to reach
     * @param load pgbench's options
     */
    record Row(String name, double bar, boolean tls, List<String> load) {

        static Row of(String name, double bar, boolean tls, String... load) {
            return new Row(name, bar, tls, Arrays.asList(load));
        }
    }

    /** The selected rows. */
    static List<Row> rows(Options<Group> options) {
        List<Row> rows = new ArrayList<>();
        for (boolean tls : new boolean[] {false, true}) {
            for (String protocol : List.of("simple", "prepared", "extended")) {
                if (options.has(tls ? Group.TLS : group(protocol))) {
                    double bar = !tls && protocol.equals("extended") ? 1.6 : 1.0;
                    for (int clients : CLIENTS) {
                        rows.add(Row.of(
                                "-S %s%s, %d".formatted(protocol, tls ? " TLS" : "", clients),
                                bar,
                                tls,
                                "-S",
                                "-M",
                                protocol,
                                "-c",
                                String.valueOf(clients)));
                    }
                }
            }
        }
        if (options.has(Group.TPCB)) {
            rows.add(Row.of("TPC-B, 32", 0.95, false, "-c", "32"));
        }
        return rows;
    }

    private static Group group(String protocol) {
        return switch (protocol) {
            case "simple" -> Group.SIMPLE;
            case "prepared" -> Group.PREPARED;
            default -> Group.EXTENDED;
        };
    }

    /** Lets the JVM compile what the rows use. */
    void warmUp(List<Row> rows) throws Exception {
        for (int i = 0; i < (options.quick() ? 1 : 4); i++) {
            for (Row row : rows) {
                if (!row.load().getLast().equals("1")) {
                    ours.rate(row.tls(), seconds(row), row.load());
                }
            }
        }
        for (Row row : rows) {
            theirs.rate(row.tls(), seconds(row), row.load());
        }
    }

    /** Longer for many clients: pgbench's time includes their logins, though its rate does not. */
    private int seconds(Row row) {
        return options.seconds() + Integer.parseInt(row.load().getLast()) / 25;
    }

    void measure(Row row) throws Exception {
        int runs = row.name().startsWith("TPC-B") && !options.quick() ? LOCKED_RUNS : options.runs();
        double[] mine = new double[runs];
        double[] others = new double[runs];
        double[] myCpu = new double[runs];
        double[] othersCpu = new double[runs];
        double[] myWaits = new double[runs];
        double[] othersWaits = new double[runs];
        for (int run = 0; run < runs; run++) {
            Side.Run one = ours.rate(row.tls(), seconds(row), row.load());
            Side.Run other = theirs.rate(row.tls(), seconds(row), row.load());
            mine[run] = one.perSecond();
            others[run] = other.perSecond();
            myCpu[run] = one.cpuMicros();
            othersCpu[run] = other.cpuMicros();
            myWaits[run] = one.waited();
            othersWaits[run] = other.waited();
        }
        System.out.printf(
                "  %-20s %5.2f of medians (bar %.2f), run by run %s; headgate %s, PgBouncer %s transactions/s; %.0f and %.0f microseconds of CPU for one%n",
                row.name(),
                new Figures(mine).median() / new Figures(others).median(),
                row.bar(),
                Figures.ratio(mine, others).show("%.2f"),
                new Figures(mine).show("%.0f"),
                new Figures(others).show("%.0f"),
                new Figures(myCpu).median(),
                new Figures(othersCpu).median());
        double most = Math.max(new Figures(myWaits).median(), new Figures(othersWaits).median());
        if (most > DISTURBED) {
            System.out.printf(
                    "  %-20s disturbed, the ratio does not count: other threads kept headgate from its core for %.0f %% and PgBouncer for %.0f %% of the time in which it wanted to run%n",
                    "", 100 * new Figures(myWaits).median(), 100 * new Figures(othersWaits).median());
        }
    }
}
