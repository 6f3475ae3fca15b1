package dev.headgate.protocol;

import java.util.ArrayDeque;

/**
 * A pool of output buffers, so that an idle peer holds none. Keeps at most {@value #MOST_KEPT} free buffers. Belongs to one
 * thread.
 */
public final class Buffers {

    /** Bytes per buffer: enough for many messages of ordinary size. */
    public static final int SIZE = 16 * 1024;

    private static final int MOST_KEPT = 128;

    private final ArrayDeque<byte[]> free = new ArrayDeque<>();

    byte[] take() {
        byte[] buffer = free.pollLast();
        return buffer == null ? new byte[SIZE] : buffer;
    }

    /** Takes back its own, and no array of another length. */
    void give(byte[] buffer) {
        if (buffer.length == SIZE && free.size() < MOST_KEPT) {
            free.addLast(buffer);
        }
    }
}
