package dev.headgate.protocol;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * A pool of output buffers, so that an idle peer holds none. Keeps at most {@value #MOST_KEPT} free buffers, which hold nothing
 * of what was written. Belongs to one thread.
 */
public final class Buffers {

    /** Bytes per buffer: enough for many messages of ordinary size. */
    public static final int SIZE = 16 * 1024;

    private static final int MOST_KEPT = 64;

    private final ArrayDeque<byte[]> free = new ArrayDeque<>();

    byte[] take() {
        byte[] buffer = free.pollLast();
        return buffer == null ? new byte[SIZE] : buffer;
    }

    /**
     * Takes back its own, and no array of another length.
     *
     * @param used the bytes from the start that were written
     */
    void give(byte[] buffer, int used) {
        if (buffer.length == SIZE && free.size() < MOST_KEPT) {
            Arrays.fill(buffer, 0, used, (byte) 0);
            free.addLast(buffer);
        }
    }
}
