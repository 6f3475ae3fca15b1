package dev.headgate.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The bytes of a long message that must be complete before it is handled, in pieces. An array of megabytes needs that many adjacent free
 * regions of the heap; where there are none, G1 stops everybody and compacts. A piece needs one region. Belongs to one
 * thread until it is complete, and does not change afterwards.
 */
public final class LongBytes {

    /**
     * The length of all pieces but the last. With its header such an array fills one region of G1, whose regions have 1 MiB where the heap
     * is smaller than 2 GiB, and is never copied (JEP 248, "humongous objects").
     */
    public static final int PIECE = (1 << 20) - 64;

    private final int length;
    private final List<byte[]> pieces = new ArrayList<>();
    private int filled;

    /** @param length of all bytes; memory is taken as they arrive */
    LongBytes(int length) {
        this.length = length;
    }

    /** A copy of bytes that are complete. */
    static LongBytes of(byte[] bytes, int from, int to) {
        LongBytes all = new LongBytes(to - from);
        all.add(bytes, from, to - from);
        return all;
    }

    /**
     * Adds a copy of the next bytes.
     *
     * @throws IllegalArgumentException if there are more than are missing
     */
    void add(byte[] bytes, int offset, int count) {
        if (count > length - filled) {
            throw new IllegalArgumentException(count + " bytes are added where " + (length - filled) + " are missing");
        }
        int from = offset;
        int left = count;
        while (left > 0) {
            int place = filled % PIECE;
            if (place == 0) {
                pieces.add(new byte[Math.min(PIECE, length - filled)]);
            }
            byte[] to = pieces.getLast();
            int here = Math.min(left, to.length - place);
            System.arraycopy(bytes, from, to, place, here);
            filled += here;
            from += here;
            left -= here;
        }
    }

    public boolean isComplete() {
        return filled == length;
    }

    public int length() {
        return length;
    }

    /** How many bytes were added. */
    int filled() {
        return filled;
    }

    /** Without copies; must not be modified. */
    List<byte[]> pieces() {
        return Collections.unmodifiableList(pieces);
    }

    /** The first bytes, up to {@value #PIECE}. Without a copy; must not be modified. */
    public byte[] beginning() {
        return pieces.isEmpty() ? new byte[0] : pieces.getFirst();
    }

    /** A copy of all bytes in one array. */
    byte[] toArray() {
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, all, at, piece.length);
            at += piece.length;
        }
        return all;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof LongBytes that) || length != that.length || pieces.size() != that.pieces.size()) {
            return false;
        }
        for (int i = 0; i < pieces.size(); i++) {
            if (!Arrays.equals(pieces.get(i), that.pieces.get(i))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        return length;
    }
}
