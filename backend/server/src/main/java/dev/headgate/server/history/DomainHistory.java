package dev.headgate.server.history;

import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.api.HistoryJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One domain's last hour. The windows that end within a second are merged, and become a row when the second is over: a
 * row is written once, from all that was measured in its second. Written by the feed's thread and read by any.
 */
final class DomainHistory {

    static final int SECONDS = 3_600;

    private static final int MARKERS = 200;

    private final Rows rows = new Rows(SECONDS);
    private final Deque<HistoryJson.Marker> markers = new ArrayDeque<>();
    private @Nullable Measured second;

    /** Adds a window. Where the wall clock was set back, the window counts into the second under way. */
    synchronized void add(Measured window, Supplier<PoolStatus> status) {
        finish(window.end(), status);
        second = second == null ? window : second.plus(late(window, second));
    }

    /** Writes the row of the second under way if it is over. */
    synchronized void finish(Instant now, Supplier<PoolStatus> status) {
        Measured whole = second;
        if (whole == null || now.getEpochSecond() <= whole.end().getEpochSecond()) {
            return;
        }
        second = null;
        if (whole.end().getEpochSecond() < rows.end()) {
            return;
        }
        PoolStatus bounds = status.get();
        rows.append(whole.end().getEpochSecond());
        rows.put(Column.IN_USE, whole.inUse());
        rows.put(Column.SIZE, whole.size());
        rows.put(Column.WAITING, whole.mostWaiting());
        rows.put(Column.FLOOR, Math.min(bounds.floor(), bounds.budget()));
        rows.put(Column.CEILING, Math.min(bounds.ceiling(), bounds.budget()));
        if (whole.latency().count() > 0) {
            rows.put(Column.P50_MS, (double) whole.latency().percentileNanos(50) / 1e6);
            rows.put(Column.P95_MS, (double) whole.latency().percentileNanos(95) / 1e6);
            rows.put(Column.P99_MS, (double) whole.latency().percentileNanos(99) / 1e6);
            rows.put(Column.MEAN_MS, whole.latency().meanNanos() / 1e6);
        }
        if (whole.waits().count() > 0) {
            rows.put(Column.WAIT_P99_MS, (double) whole.waits().percentileNanos(99) / 1e6);
        }
        if (whole.nanos() > 0) {
            double seconds = (double) whole.nanos() / 1e9;
            rows.put(Column.PER_SECOND, (double) whole.latency().count() / seconds);
            rows.put(Column.ERRORS_PER_SECOND, (double) whole.errors() / seconds);
            rows.put(Column.REFUSED_PER_SECOND, (double) whole.refused() / seconds);
        }
    }

    synchronized void mark(HistoryJson.Marker marker) {
        markers.addLast(marker);
        if (markers.size() > MARKERS) {
            markers.removeFirst();
        }
    }

    /** The rows of the time from {@code length} ago to now, and the markers since the first of them. */
    synchronized HistoryJson last(Duration length, Instant now) {
        long from = rows.firstFrom(now.getEpochSecond() - length.toSeconds());
        List<Instant> time = new ArrayList<>((int) (rows.end() - from));
        for (long row = from; row < rows.end(); row++) {
            time.add(Instant.ofEpochSecond(row + 1));
        }
        Instant since = now.minus(length);
        return new HistoryJson(
                1_000,
                time,
                new HistoryJson.Columns(
                        rows.column(Column.IN_USE, from),
                        rows.column(Column.SIZE, from),
                        rows.column(Column.WAITING, from),
                        rows.column(Column.FLOOR, from),
                        rows.column(Column.CEILING, from),
                        rows.column(Column.P50_MS, from),
                        rows.column(Column.P95_MS, from),
                        rows.column(Column.P99_MS, from),
                        rows.column(Column.MEAN_MS, from),
                        rows.column(Column.WAIT_P99_MS, from),
                        rows.column(Column.PER_SECOND, from),
                        rows.column(Column.ERRORS_PER_SECOND, from),
                        rows.column(Column.REFUSED_PER_SECOND, from)),
                markers.stream()
                        .filter(marker -> !marker.time().isBefore(since))
                        .toList());
    }

    private static Measured late(Measured window, Measured underWay) {
        return window.end().isBefore(underWay.end()) ? window.endingAt(underWay.end()) : window;
    }
}
