package dev.headgate.bench.peers;

import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import dev.headgate.lab.pools.FetchLoop;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogManager;

/**
 * {@code ./headgate bench peers [--quick] [--rows borrow,fairness,raise,lower,hung,killed,restart,storm]}: Headgate's data source
 * beside those of its peers, in one process, on one PostgreSQL. The pools take turns, run by run, each time in another order.
 */
public final class PeersBench {

    /** What is measured. */
    private enum Row {
        BORROW,
        FAIRNESS,
        RAISE,
        LOWER,
        HUNG,
        KILLED,
        RESTART,
        STORM
    }

    /** Measures a pool once. */
    private interface Measurement {
        void run(Peer peer, boolean warmUp) throws Exception;
    }

    private static final int CONNECTIONS = 10;

    private final PeerServer server;
    private final boolean quick;
    private final Sheet sheet;

    private PeersBench(Sheet sheet, PeerServer server, boolean quick) {
        this.sheet = sheet;
        this.server = server;
        this.quick = quick;
    }

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<Row> options = Options.parse(Row.class, arguments);
        silence();
        try (PeerServer server = new PeerServer()) {
            PeersBench bench = new PeersBench(sheet, server, options.quick());
            noteVersions(sheet, server);
            for (Row row : options.rows()) {
                switch (row) {
                    case BORROW -> bench.borrow();
                    case FAIRNESS -> bench.fairness();
                    case RAISE -> bench.changes("raise", pool -> new Resizes(server).raise(pool));
                    case LOWER -> bench.changes("lower", pool -> new Resizes(server).lower(pool));
                    case HUNG -> bench.changes("hung", pool -> new Faults(server).hung(pool));
                    case KILLED -> bench.changes("killed", pool -> new Faults(server).killed(pool));
                    case RESTART -> bench.changes("restart", pool -> new Faults(server).restart(pool));
                    case STORM -> bench.changes("storm", pool -> new Storm(server).run(pool));
                }
            }
        }
    }

    /** Stops what pools write to java.util.logging. */
    static void silence() {
        LogManager.getLogManager().reset();
        java.util.logging.Logger.getLogger("").setLevel(Level.OFF);
    }

    static void noteVersions(Sheet sheet, PeerServer server) throws Exception {
        for (Peer peer : EnumSet.complementOf(EnumSet.of(Peer.HEADGATE))) {
            sheet.version(peer.label(), peer.version());
        }
        sheet.version("PostgreSQL", server.version());
        try (Connection beside = server.beside()) {
            sheet.version("pgjdbc", beside.getMetaData().getDriverVersion());
        }
    }

    private void borrow() throws Exception {
        Duration length = Duration.ofMillis(quick ? 200 : 500);
        try (OpenPools pools = new OpenPools(server, Settings.fixed(CONNECTIONS))) {
            for (int threads : new int[] {1, 2 * CONNECTIONS}) {
                String row = "borrow, " + threads + (threads == 1 ? " thread" : " threads") + " on " + CONNECTIONS;
                FetchLoop loop = new FetchLoop(threads, Duration.ZERO, length);
                rounds(quick ? 3 : 7, (peer, warmUp) -> {
                    FetchLoop.Outcome outcome = loop.run(pools.source(peer)::getConnection);
                    Sheet.Entry entry = sheet.entry(row, peer.label());
                    if (!warmUp) {
                        entry.add("ns a borrow and return", "%.0f", threads * 1e9 / outcome.perSecond());
                    }
                });
                sheet.print();
            }
        }
    }

    private void fairness() throws Exception {
        Duration length = Duration.ofMillis(quick ? 500 : 1_000);
        try (OpenPools pools = new OpenPools(server, Settings.fixed(CONNECTIONS))) {
            for (Duration hold : List.of(Duration.ZERO, Duration.ofMillis(1))) {
                String row = "fairness, 20 threads on 10, "
                        + (hold.isZero() ? "returned at once" : "held for " + hold.toMillis() + " ms");
                FetchLoop loop = new FetchLoop(2 * CONNECTIONS, hold, length);
                rounds(quick ? 3 : 7, (peer, warmUp) -> {
                    FetchLoop.Outcome outcome = loop.run(pools.source(peer)::getConnection);
                    Sheet.Entry entry = sheet.entry(row, peer.label());
                    if (!warmUp) {
                        entry.add("borrows of a thread, most by fewest", "%.2f", outcome.mostByFewest());
                        entry.add(
                                "p99.9 of the waits, ms",
                                "%.1f",
                                outcome.waits().getValueAtPercentile(99.9) / 1e6);
                        entry.add("longest wait, ms", "%.1f", outcome.longestMs());
                        entry.add("borrows a second", "%.0f", outcome.perSecond());
                    }
                });
                sheet.print();
            }
        }
    }

    /** What is done to a pool, which is opened for it. */
    interface Change {
        void run(Trial trial) throws Exception;
    }

    /** A pool in one run, and where its figures go. */
    record Trial(Peer peer, Sheet.Entry entry) {}

    private void changes(String row, Change change) throws Exception {
        rounds(quick ? 1 : 3, (peer, warmUp) -> {
            Trial trial = new Trial(peer, sheet.entry(row, peer.label()));
            if (!warmUp) {
                change.run(trial);
            }
        });
        sheet.print();
    }

    /** One round to warm up, then those that count, each in another order. */
    private static void rounds(int count, Measurement measurement) throws Exception {
        for (int round = 0; round <= count; round++) {
            List<Peer> order = new ArrayList<>(List.of(Peer.values()));
            Collections.rotate(order, round);
            for (Peer peer : order) {
                measurement.run(peer, round == 0);
            }
        }
    }
}
