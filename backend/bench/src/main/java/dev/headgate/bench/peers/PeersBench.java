package dev.headgate.bench.peers;

import dev.headgate.bench.Fork;
import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import dev.headgate.lab.pools.FetchLoop;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.LogManager;

/**
 * {@code ./headgate bench peers [--quick] [--rows borrow,fairness,raise,lower,hung,killed,restart,storm]}: Headgate's data source
 * beside those of its peers, in one process, on one PostgreSQL. The pools take turns, run by run, each time in another order. Each row
 * is measured by several JVMs, one after another. Where the server has a part in it, the server has the first core, and the JVM the
 * others.
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
        STORM;

        boolean asksTheServer() {
            return this != BORROW && this != FAIRNESS;
        }
    }

    /** Measures a pool once. */
    private interface Measurement {
        void run(Peer peer, boolean warmUp) throws Exception;
    }

    private static final int CONNECTIONS = 10;
    private static final int FORKS = 3;

    /** Those of each fork that count. */
    private static final int ROUNDS = 3;

    private final PeerServer server;
    private final Sheet sheet;

    private PeersBench(Sheet sheet, PeerServer server) {
        this.sheet = sheet;
        this.server = server;
    }

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<Row> options = Options.parse(Row.class, arguments);
        if (Fork.number() >= 0) {
            measureHere(sheet, options);
            return;
        }
        for (Row row : options.rows()) {
            List<String> child =
                    new ArrayList<>(List.of("peers", "--rows", row.name().toLowerCase(Locale.ROOT)));
            if (options.quick()) {
                child.add("--quick");
            }
            for (int fork = 0; fork < (options.quick() ? 1 : FORKS); fork++) {
                Fork.measure(sheet, fork, row.asksTheServer(), child);
            }
            sheet.print();
        }
    }

    private static void measureHere(Sheet sheet, Options<Row> options) throws Exception {
        silence();
        try (PeerServer server = new PeerServer()) {
            PeersBench bench = new PeersBench(sheet, server);
            noteVersions(sheet, server);
            for (Row row : options.rows()) {
                switch (row) {
                    case BORROW -> bench.borrow(Duration.ofMillis(options.quick() ? 200 : 500));
                    case FAIRNESS -> bench.fairness(Duration.ofMillis(options.quick() ? 500 : 1_000));
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

    private void borrow(Duration length) throws Exception {
        try (OpenPools pools = new OpenPools(server, Settings.fixed(CONNECTIONS))) {
            for (int threads : new int[] {1, 2 * CONNECTIONS}) {
                String row = "borrow, " + threads + (threads == 1 ? " thread" : " threads") + " on " + CONNECTIONS;
                FetchLoop loop = new FetchLoop(threads, Duration.ZERO, length);
                rounds(ROUNDS, (peer, warmUp) -> {
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

    private void fairness(Duration length) throws Exception {
        try (OpenPools pools = new OpenPools(server, Settings.fixed(CONNECTIONS))) {
            for (Duration hold : List.of(Duration.ZERO, Duration.ofMillis(1))) {
                String row = "fairness, 20 threads on 10, "
                        + (hold.isZero() ? "returned at once" : "held for " + hold.toMillis() + " ms");
                FetchLoop loop = new FetchLoop(2 * CONNECTIONS, hold, length);
                rounds(ROUNDS, (peer, warmUp) -> {
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
        rounds(1, (peer, warmUp) -> {
            Trial trial = new Trial(peer, sheet.entry(row, peer.label()));
            if (warmUp) {
                new Faults(server).none(peer);
            } else {
                change.run(trial);
            }
        });
        sheet.print();
    }

    /** One round to warm up, then those that count, each in another order. */
    private static void rounds(int count, Measurement measurement) throws Exception {
        for (int round = 0; round <= count; round++) {
            List<Peer> order = new ArrayList<>(List.of(Peer.values()));
            Collections.rotate(order, round + Fork.number());
            for (Peer peer : order) {
                measurement.run(peer, round == 0);
            }
        }
    }
}
