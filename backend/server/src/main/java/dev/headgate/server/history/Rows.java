package dev.headgate.server.history;

import dev.headgate.server.api.Second;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A ring of one row per second, by column. The row of second {@code s} lives at {@code s mod capacity}; rows between the last
 * and a later one that were never written read as null. A column takes room from its second value on: most of an idle
 * domain's never change. Not safe for use by several threads: {@link DomainHistory} guards it.
 */
final class Rows {

    private final int capacity;
    private final Map<Column, Values> columns = new EnumMap<>(Column.class);
    private final BitSet written;
    private long first;
    private long end;

    Rows(int capacity) {
        this.capacity = capacity;
        this.written = new BitSet(capacity);
        for (Column column : Column.values()) {
            columns.put(column, new Values());
        }
    }

    /** One column's values; one of them while all are equal. */
    private final class Values {
        private int all;
        private int @Nullable [] each;

        void put(int slot, int value) {
            int[] stored = each;
            if (stored == null && (value == all || written.isEmpty())) {
                all = value;
                return;
            }
            if (stored == null) {
                stored = new int[capacity];
                Arrays.fill(stored, all);
                each = stored;
            }
            stored[slot] = value;
        }

        int at(int slot) {
            int[] stored = each;
            return stored == null ? all : stored[slot];
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
        for (long blank = Math.max(end, second - capacity + 1); blank < second; blank++) {
            written.clear(slot(blank));
        }
        columns.forEach((column, values) -> values.put(slot(second), column.pack(measured)));
        written.set(slot(second));
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
        Values values = Objects.requireNonNull(columns.get(column));
        List<@Nullable Double> figures = new ArrayList<>((int) (end - from));
        for (long second = from; second < end; second++) {
            int slot = slot(second);
            figures.add(written.get(slot) ? column.unpack(values.at(slot)) : null);
        }
        return figures;
    }

    private int slot(long second) {
        return (int) Math.floorMod(second, (long) capacity);
    }

    @Override
    public String toString() {
        return "rows " + first + ".." + end + " of " + capacity;
    }
}
