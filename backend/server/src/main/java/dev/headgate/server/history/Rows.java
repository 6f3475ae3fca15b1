package dev.headgate.server.history;

import dev.headgate.server.api.Second;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the last seconds, by column, in blocks of {@value #BLOCK} seconds. Rows that were never written read as null. A column
 * of a block takes memory only from its second different value on, because most of an idle domain's never change. A block's memory is
 * reserved from a {@link Room} first. If there is none, older blocks are dropped, and values that cannot be stored read as null. Not
 * safe for use by several threads: {@link DomainHistory} guards it.
 */
final class Rows {

    /** Seconds per block. */
    static final int BLOCK = 300;

    /** An estimate of a block's bytes without its columns. */
    static final int BLOCK_BYTES = 1_024;

    static final int COLUMN_BYTES = BLOCK * Integer.BYTES + 16;

    private final int capacity;
    private final Room room;
    private final TreeMap<Long, Block> blocks = new TreeMap<>();
    private long first;
    private long end;

    Rows(int capacity, Room room) {
        this.capacity = capacity;
        this.room = room;
    }

    /** The memory for rows. */
    interface Room {

        /** Reserves bytes. May drop blocks, also of these rows, but never their last one. */
        boolean take(long bytes);

        /** Reserves bytes if they are free. */
        boolean takeFree(long bytes);

        void give(long bytes);
    }

    private static final class Block {
        private final BitSet written = new BitSet(BLOCK);
        private final Map<Column, Values> columns = new EnumMap<>(Column.class);
        private long bytes = BLOCK_BYTES;

        Block() {
            for (Column column : Column.values()) {
                columns.put(column, new Values());
            }
        }
    }

    /** One column's values in a block; a single value while all are equal. */
    private static final class Values {
        private int all;
        private int @Nullable [] each;

        boolean isRoomNeeded(int value, boolean first) {
            return each == null && !first && value != all;
        }

        void spread() {
            int[] stored = new int[BLOCK];
            Arrays.fill(stored, all);
            each = stored;
        }

        void put(int slot, int value, boolean first) {
            int[] stored = each;
            if (stored != null) {
                stored[slot] = value;
            } else if (first) {
                all = value;
            }
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
        end = second + 1;
        first = Math.max(first, end - capacity);
        while (!blocks.isEmpty() && (blocks.firstKey() + 1) * BLOCK <= first) {
            drop();
        }
        write(second, measured, room::take);
    }

    /**
     * Writes the row of an earlier second if it is missing and not too old, and there is free memory for it.
     *
     * @param second since the epoch
     */
    void fill(long second, Second measured) {
        if (first == end) {
            first = second;
            end = second + 1;
        }
        if (second >= end || second < end - capacity) {
            return;
        }
        if (!isWritten(second)) {
            write(second, measured, room::takeFree);
            first = isWritten(second) ? Math.min(first, second) : first;
        }
    }

    private boolean isWritten(long second) {
        Block block = blocks.get(number(second));
        return block != null && block.written.get(slot(second));
    }

    private void write(long second, Second measured, LongPredicate taken) {
        Block block = blocks.get(number(second));
        if (block == null) {
            if (!taken.test(BLOCK_BYTES)) {
                return;
            }
            block = new Block();
            blocks.put(number(second), block);
        }
        write(block, slot(second), measured, taken);
    }

    /** Writes a whole row, or nothing if there is no room. */
    private static void write(Block block, int slot, Second measured, LongPredicate taken) {
        boolean isFirst = block.written.isEmpty();
        List<Values> changed = new ArrayList<>();
        block.columns.forEach((column, values) -> {
            if (values.isRoomNeeded(column.pack(measured), isFirst)) {
                changed.add(values);
            }
        });
        long more = (long) changed.size() * COLUMN_BYTES;
        if (more > 0 && !taken.test(more)) {
            return;
        }
        block.bytes += more;
        changed.forEach(Values::spread);
        block.columns.forEach((column, values) -> values.put(slot, column.pack(measured), isFirst));
        block.written.set(slot);
    }

    /** Whether there is a block to drop. The last one stays. */
    boolean canDrop() {
        return blocks.size() > 1;
    }

    /** Drops the oldest block and all rows up to its end. */
    void dropOldest() {
        if (canDrop()) {
            first = Math.max(first, (blocks.firstKey() + 1) * BLOCK);
            drop();
        }
    }

    private void drop() {
        room.give(blocks.pollFirstEntry().getValue().bytes);
    }

    /** The second of the oldest row that is at least {@code from}; {@link #end()} if there is none. */
    long firstFrom(long from) {
        return Math.clamp(from, first, end);
    }

    /** One more than the second of the last row. */
    long end() {
        return end;
    }

    /** The row of a second; empty if there is none. */
    Optional<Second> row(long second) {
        Block block = second < first || second >= end ? null : blocks.get(number(second));
        if (block == null || !block.written.get(slot(second))) {
            return Optional.empty();
        }
        Map<Column, @Nullable Double> figures = new EnumMap<>(Column.class);
        block.columns.forEach((column, values) -> figures.put(column, column.unpack(values.at(slot(second)))));
        return Optional.of(Column.second(Instant.ofEpochSecond(second + 1), figures::get));
    }

    /** A column's figures from a second up to the last row. */
    List<@Nullable Double> column(Column column, long from) {
        List<@Nullable Double> figures = new ArrayList<>((int) (end - from));
        Block block = null;
        for (long second = from; second < end; second++) {
            if (second == from || slot(second) == 0) {
                block = blocks.get(number(second));
            }
            int slot = slot(second);
            Values values = block == null || !block.written.get(slot) ? null : block.columns.get(column);
            figures.add(values == null ? null : column.unpack(values.at(slot)));
        }
        return figures;
    }

    private static long number(long second) {
        return Math.floorDiv(second, (long) BLOCK);
    }

    private static int slot(long second) {
        return (int) Math.floorMod(second, (long) BLOCK);
    }

    @Override
    public String toString() {
        return "rows " + first + ".." + end + " of " + capacity;
    }
}
