package dev.headgate.bench.peers;

import dev.headgate.bench.Figures;
import dev.headgate.bench.KeptRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects the figures of all pools, run by run, and prints those of a row beside Headgate's. */
final class Sheet {

    private record Measure(String row, String name, String format) {}

    private final Map<Measure, Map<Peer, List<Double>>> figures = new LinkedHashMap<>();

    /** The figures of one run of one pool in one row. */
    record Entry(Sheet sheet, String row, Peer peer) {

        void add(String measure, String format, double value) {
            values(measure, format).add(value);
        }

        /** A time since an instant, in milliseconds. */
        void addMillis(String measure, long nanos) {
            add(measure, "%.1f", nanos / 1e6);
        }

        /** Says that it did not happen in this run. */
        void never(String measure) {
            List<Double> _ = values(measure, "%.1f");
        }

        private List<Double> values(String measure, String format) {
            return sheet.figures
                    .computeIfAbsent(new Measure(row, measure, format), _ -> new LinkedHashMap<>())
                    .computeIfAbsent(peer, _ -> new ArrayList<>());
        }
    }

    Entry entry(String row, Peer peer) {
        return new Entry(this, row, peer);
    }

    /** Prints each measure of a row, with the ratio of the medians to Headgate's. */
    void print(String row) {
        figures.forEach((measure, peers) -> {
            if (!measure.row().equals(row)) {
                return;
            }
            System.out.println(row + ": " + measure.name());
            List<Double> ours = peers.getOrDefault(Peer.HEADGATE, List.of());
            for (Peer peer : Peer.values()) {
                List<Double> theirs = peers.get(peer);
                if (theirs != null) {
                    System.out.printf("  %-13s %-38s%s%n", peer.label(), show(measure, theirs), ratio(theirs, ours));
                }
            }
        });
    }

    private static String show(Measure measure, List<Double> values) {
        return new KeptRun.Figure("", measure.name(), measure.format(), "", values).show();
    }

    private static String ratio(List<Double> theirs, List<Double> ours) {
        if (theirs.isEmpty() || ours.isEmpty() || median(ours) == 0) {
            return "";
        }
        return String.format(Locale.ROOT, " %.2f of Headgate's", median(theirs) / median(ours));
    }

    private static double median(List<Double> values) {
        return new Figures(values.stream().mapToDouble(Double::doubleValue).toArray()).median();
    }

    List<KeptRun.Figure> figures() {
        List<KeptRun.Figure> all = new ArrayList<>();
        figures.forEach((measure, peers) -> {
            for (Peer peer : Peer.values()) {
                List<Double> values = peers.get(peer);
                if (values != null) {
                    all.add(new KeptRun.Figure(measure.row(), measure.name(), measure.format(), peer.label(), values));
                }
            }
        });
        return all;
    }
}
