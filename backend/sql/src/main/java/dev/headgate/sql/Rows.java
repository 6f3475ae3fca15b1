package dev.headgate.sql;

import dev.headgate.protocol.FrameReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of an answer, with a cursor over them. The values are PostgreSQL's texts in UTF-8, in one array as they came from
 * the server: a reader that copies them elsewhere makes no object for each. Belongs to the thread that reads it.
 *
 * <pre>{@code
 * while (rows.next()) {
 *     for (int i = 0; i < rows.columns(); i++) {
 *         if (rows.length(i) >= 0) out.write(rows.bytes(), rows.offset(i), rows.length(i));
 *     }
 * }
 * }</pre>
 */
public final class Rows {

    private final byte[] bytes;
    private final int end;
    private final int count;
    private int at;
    private int[] offsets = {};
    private int columns;

    /** @param bytes the bodies of DataRow messages, each after its length in four bytes */
    Rows(byte[] bytes, int end, int count) {
        this.bytes = bytes;
        this.end = end;
        this.count = count;
    }

    /** The number of rows. */
    public int count() {
        return count;
    }

    /** Whether it is one row so long that it has reserved memory. */
    boolean isLong() {
        return end > Dialogue.FREE_ROW;
    }

    /** The bytes of all values. */
    public int size() {
        return end;
    }

    /** Goes to the next row. False at the end. */
    public boolean next() {
        if (at >= end) {
            return false;
        }
        int after = at + 4 + FrameReader.int32(bytes, at);
        columns = FrameReader.int16(bytes, at + 4);
        if (offsets.length < columns) {
            offsets = new int[columns];
        }
        int value = at + 6;
        for (int i = 0; i < columns; i++) {
            value += 4;
            offsets[i] = value;
            value += Math.max(0, FrameReader.int32(bytes, value - 4));
        }
        at = after;
        return true;
    }

    /** The number of the row's values. */
    public int columns() {
        return columns;
    }

    /** The array with the values. Read-only. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where the value begins. */
    public int offset(int column) {
        return offsets[column];
    }

    /** The value's length in bytes; negative for NULL. */
    public int length(int column) {
        return FrameReader.int32(bytes, offsets[column] - 4);
    }

    /** The value as a text; null for NULL. */
    public @Nullable String text(int column) {
        int length = length(column);
        return length < 0 ? null : new String(bytes, offsets[column], length, StandardCharsets.UTF_8);
    }
}
