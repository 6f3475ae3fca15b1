package dev.headgate.server.history;

import dev.headgate.server.api.Second;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A ring of one row per second, a column being one {@code int} array. The row of second {@code s} lives at {@code s mod
 * capacity}; rows between the last and a later one that were never written read as null. Not safe for use by several
 * threads: {@link DomainHistory} guards it.
 */
final class Rows {

    private final int capacity;
    private final Map<Column, int[]> columns = new EnumMap<>(Column.class);
    private long first;
    private long end;

    Rows(int capacity) {
        this.capacity = capacity;
        for (Column column : Column.values()) {
            columns.put(column, new int[capacity]);
        }
    }

    /** Whether a second is later than every row. */
    boolean isNext(long second) {
        return second >= end;
    }

    /**
     * Writes the row of a second, which becomes the last.
     *
     * @param second since the epoch, later than every row before
     */
    void append(long second, Second measured) {
        if (first == end) {
            first = second;
        } else if (second < end) {
            throw new IllegalArgumentException("second " + second + " is before the last row's end, " + end);
        }
        for (long blank = Math.max(end, second - capacity + 1); blank <= second; blank++) {
            for (int[] column : columns.values()) {
                column[slot(blank)] = Column.NOTHING;
            }
        }
        columns.forEach((column, stored) -> stored[slot(second)] = column.pack(measured));
        end = second + 1;
        first = Math.max(first, end - capacity);
    }

    /** The second of the oldest row that is at least {@code from}; {@link #end()} if there is none. */
    long firstFrom(long from) {
        return Math.clamp(from, first, end);
    }

    /** One more than the second of the last row. */
    long end() {
        return end;
    }

    /** A column's figures from a second up to the last row. */
    List<@Nullable Double> column(Column column, long from) {
        int[] stored = stored(column);
        List<@Nullable Double> figures = new ArrayList<>((int) (end - from));
        for (long second = from; second < end; second++) {
            figures.add(column.unpack(stored[slot(second)]));
        }
        return figures;
    }

    private int[] stored(Column column) {
        return Objects.requireNonNull(columns.get(column));
    }

    private int slot(long second) {
        return (int) Math.floorMod(second, (long) capacity);
    }

    @Override
    public String toString() {
        return "rows " + first + ".." + end + " of " + capacity;
    }
}
