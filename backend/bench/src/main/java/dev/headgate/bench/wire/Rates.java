package dev.headgate.bench.wire;

import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Transactions per second by pgbench, through each side in turn. */
record Rates(Sheet sheet, Side ours, List<Side> theirs, Options<Group> options) {

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

    private static final String RATE = "transactions/s";
    private static final String CPU = "CPU for one, microseconds";
    private static final String WAITED = "kept from its core by other threads, % of the time it wanted to run";

    /**
     * One row.
     *
     * @param bar the ratio to the first peer to reach
     * @param load pgbench's options
     */
    record Row(String name, String bar, boolean tls, List<String> load) {

        static Row of(String name, String bar, boolean tls, String... load) {
            return new Row(name, bar, tls, Arrays.asList(load));
        }
    }

    /** The selected rows. */
    static List<Row> rows(Options<Group> options) {
        List<Row> rows = new ArrayList<>();
        for (boolean tls : new boolean[] {false, true}) {
            for (String protocol : List.of("simple", "prepared", "extended")) {
                if (options.has(tls ? Group.TLS : group(protocol))) {
                    String bar = !tls && protocol.equals("extended") ? "at least 1.6" : "at least 1.0";
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
            rows.add(Row.of("TPC-B, 32", "at least 0.95", false, "-c", "32"));
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
        for (Side peer : theirs) {
            for (Row row : rows) {
                peer.rate(row.tls(), seconds(row), row.load());
            }
        }
    }

    /** Longer for many clients: pgbench's time includes their logins, though its rate does not. */
    private int seconds(Row row) {
        return options.seconds() + Integer.parseInt(row.load().getLast()) / 25;
    }

    void measure(Row row) throws Exception {
        int runs = row.name().startsWith("TPC-B") && !options.quick() ? LOCKED_RUNS : options.runs();
        Sheet.Entry mine = sheet.entry(row.name(), "Headgate");
        for (int run = 0; run < runs; run++) {
            note(mine, ours.rate(row.tls(), seconds(row), row.load()));
            for (Side peer : theirs) {
                note(sheet.entry(row.name(), peer.name()), peer.rate(row.tls(), seconds(row), row.load()));
            }
        }
        for (Side peer : theirs) {
            Sheet.Entry others = sheet.entry(row.name(), peer.name());
            boolean disturbed = Math.max(mine.median(WAITED), others.median(WAITED)) > 100 * DISTURBED;
            String bar = peer.equals(theirs.getFirst()) ? row.bar() : "none";
            mine.times(others, RATE, bar + (disturbed ? ", disturbed: does not count" : ""));
        }
        sheet.print();
    }

    private static void note(Sheet.Entry entry, Side.Run run) {
        entry.add(RATE, "%.0f", run.perSecond());
        entry.add(CPU, "%.0f", run.cpuMicros());
        entry.add(WAITED, "%.0f", 100 * run.waited());
    }
}
