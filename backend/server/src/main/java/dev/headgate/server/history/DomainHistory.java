package dev.headgate.server.history;

import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Second;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One domain's last hour. The windows of a second are merged and become one row when the second is over. So a row is written once,
 * from all measurements of its second. Written by the feed's thread, read by any.
 */
final class DomainHistory {

    static final int SECONDS = 3_600;

    private static final int MARKERS = 200;

    private final Rows rows;
    private final Deque<HistoryJson.Marker> markers = new ArrayDeque<>();
    private @Nullable MergedWindow underWay;

    /** When the last of its windows ended. */
    private Instant lastEnd = Instant.MIN;

    DomainHistory(Rows.Room room) {
        this.rows = new Rows(SECONDS, room);
    }

    /** Whether there are seconds to drop. The last ones stay. */
    synchronized boolean canDrop() {
        return rows.canDrop();
    }

    synchronized void dropOldest() {
        rows.dropOldest();
    }

    /** A second that is over, as a row and with its distributions. */
    record Over(Second second, MergedWindow measured) {}

    /**
     * Adds a window. If the wall clock was set back, the window counts into the current second.
     *
     * @return the previous second, if the window begins a new one
     */
    synchronized Optional<Over> add(Instant end, Window window, Supplier<PoolStatus> status) {
        Optional<Over> over = finish(end, status);
        MergedWindow one = MergedWindow.of(window);
        lastEnd = underWay != null && end.isBefore(lastEnd) ? lastEnd : end;
        underWay = underWay == null ? one : underWay.plus(one);
        return over;
    }

    /** Writes the row of the current second if it is over, and returns the second. */
    synchronized Optional<Over> finish(Instant now, Supplier<PoolStatus> status) {
        MergedWindow whole = underWay;
        if (whole == null || now.getEpochSecond() <= lastEnd.getEpochSecond()) {
            return Optional.empty();
        }
        underWay = null;
        long number = lastEnd.getEpochSecond();
        if (!rows.isNext(number)) {
            return Optional.empty();
        }
        PoolStatus then = status.get();
        Second second = Second.of(
                Instant.ofEpochSecond(number + 1),
                whole,
                Math.min(then.floor(), then.budget()),
                Math.min(then.ceiling(), then.budget()));
        rows.append(number, second);
        return Optional.of(new Over(second, whole));
    }

    /**
     * Adds seconds and markers of a former process, where they are missing.
     *
     * @param seconds oldest first
     */
    void restore(List<Second> seconds, List<HistoryJson.Marker> earlier) {
        for (Second second : seconds.reversed()) {
            synchronized (this) {
                rows.fill(second.time().getEpochSecond() - 1, second);
            }
        }
        synchronized (this) {
            for (HistoryJson.Marker marker : earlier.reversed()) {
                boolean known = markers.stream().anyMatch(other -> other.revision() == marker.revision());
                if (!known && markers.size() < MARKERS) {
                    markers.addFirst(marker);
                }
            }
        }
    }

    synchronized void mark(HistoryJson.Marker marker) {
        markers.addLast(marker);
        if (markers.size() > MARKERS) {
            markers.removeFirst();
        }
    }

    /** The row of a second, counted from the epoch; empty if there is none. */
    synchronized Optional<Second> row(long second) {
        return rows.row(second);
    }

    /** The rows of the last {@code length}, and the markers since the first of them. */
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
                        rows.column(Column.REFUSED_PER_SECOND, from),
                        rows.column(Column.LEASES_PER_SECOND, from)),
                markers.stream()
                        .filter(marker -> !marker.time().isBefore(since))
                        .toList(),
                null);
    }
}
