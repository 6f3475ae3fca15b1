package dev.headgate.simulator;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What happened in a simulation: one row per 100 ms window, and every change of the ceiling. */
public final class Run {

    private final List<Row> rows = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private final List<Latency> responses = new ArrayList<>();

    /**
     * One window, and what was in force at its end.
     *
     * @param endNanos since the start
     * @param target connections the allocator gave
     */
    public record Row(long endNanos, Window window, Limits limits, int target, int inUse) {}

    /** The ceiling moved. */
    public record Change(long atNanos, int from, int to, String reason) {}

    void add(Row row) {
        if (!rows.isEmpty()) {
            int before = rows.getLast().limits.ceiling();
            Limits limits = row.limits;
            if (before != limits.ceiling()) {
                changes.add(new Change(row.endNanos, before, limits.ceiling(), limits.reason()));
            }
        }
        rows.add(row);
    }

    /** For the window that was added last. */
    void addResponses(Latency ofWindow) {
        while (responses.size() < rows.size() - 1) {
            responses.add(HdrLatency.none());
        }
        responses.add(ofWindow);
    }

    public List<Row> rows() {
        return List.copyOf(rows);
    }

    public List<Row> rows(Duration from, Duration to) {
        return rows.stream()
                .filter(row -> row.endNanos > from.toNanos() && row.endNanos <= to.toNanos())
                .toList();
    }

    public List<Change> changes() {
        return List.copyOf(changes);
    }

    public List<Change> changes(Duration from, Duration to) {
        return changes.stream()
                .filter(change -> change.atNanos > from.toNanos() && change.atNanos <= to.toNanos())
                .toList();
    }

    /** Windows of 100 ms merged into longer ones, those without a request left out. */
    public List<Latency> latencies(Duration from, Duration to, Duration length) {
        List<Latency> merged = new ArrayList<>();
        int each = Math.toIntExact(length.toMillis() / 100);
        List<Row> stretch = rows(from, to);
        for (int i = 0; i + each <= stretch.size(); i += each) {
            Latency sum = stretch.subList(i, i + each).stream()
                    .map(row -> row.window.latency())
                    .reduce(HdrLatency.none(), Latency::plus);
            if (sum.count() > 0) {
                merged.add(sum);
            }
        }
        return merged;
    }

    /** The share of windows of a length whose figure does not pass a bound; 1 where there are none. */
    public double shareWithin(
            Duration from, Duration to, Duration length, ToDoubleFunction<Latency> figure, double boundNanos) {
        List<Latency> all = latencies(from, to, length);
        return all.isEmpty()
                ? 1
                : all.stream()
                                .filter(each -> figure.applyAsDouble(each) <= boundNanos)
                                .count()
                        / (double) all.size();
    }

    public Latency latency(Duration from, Duration to) {
        return rows(from, to).stream().map(row -> row.window.latency()).reduce(HdrLatency.none(), Latency::plus);
    }

    public Latency waits(Duration from, Duration to) {
        return rows(from, to).stream().map(row -> row.window.waits()).reduce(HdrLatency.none(), Latency::plus);
    }

    /** What applications saw: from asking for a lease to giving it back, the wait included. Empty for a database's sum. */
    public Latency responses(Duration from, Duration to) {
        Latency sum = HdrLatency.none();
        for (int i = 0; i < responses.size(); i++) {
            long end = rows.get(i).endNanos;
            if (end > from.toNanos() && end <= to.toNanos()) {
                sum = sum.plus(responses.get(i));
            }
        }
        return sum;
    }

    public long errors(Duration from, Duration to) {
        return rows(from, to).stream().mapToLong(row -> row.window.errors()).sum();
    }

    /** Requests answered per second. */
    public double throughput(Duration from, Duration to) {
        return latency(from, to).count() * 1e9 / to.minus(from).toNanos();
    }

    public long refused(Duration from, Duration to) {
        return rows(from, to).stream().mapToLong(row -> row.window.refused()).sum();
    }

    public double changesPerSecond(Duration from, Duration to) {
        return changes(from, to).size() * 1e9 / to.minus(from).toNanos();
    }

    /** One line per second, for reading: what a person would see on the chart. */
    public String perSecond() {
        StringBuilder text = new StringBuilder("   s  size ceiling   mean    p99  perS  wait99 refused reason\n");
        for (int i = 0; i + 10 <= rows.size(); i += 10) {
            Row last = rows.get(i + 9);
            Duration from = Duration.ofNanos(last.endNanos).minusSeconds(1);
            Duration to = Duration.ofNanos(last.endNanos);
            Latency latency = latency(from, to);
            text.append(String.format(
                    Locale.ROOT,
                    "%4d %5d %7d %6.1f %6.1f %5d %7.1f %7d %s%n",
                    to.toSeconds(),
                    last.window.size(),
                    last.limits.ceiling(),
                    latency.meanNanos() / 1e6,
                    latency.percentileNanos(99) / 1e6,
                    latency.count(),
                    waits(from, to).percentileNanos(99) / 1e6,
                    refused(from, to),
                    last.limits.reason()));
        }
        return text.toString();
    }
}
