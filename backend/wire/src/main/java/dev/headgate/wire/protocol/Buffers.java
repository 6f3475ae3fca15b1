package dev.headgate.wire.protocol;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The large buffers of those who are at work, so that a client who is idle has none. Safe for any number of threads; keeps
 * as many as were ever in use at once.
 */
public final class Buffers {

    /** One message of ordinary size, many times over. */
    public static final int SIZE = 16 * 1024;

    private final ConcurrentLinkedQueue<byte[]> free = new ConcurrentLinkedQueue<>();

    byte[] take() {
        byte[] buffer = free.poll();
        return buffer == null ? new byte[SIZE] : buffer;
    }

    void give(byte[] buffer) {
        if (buffer.length == SIZE) {
            free.add(buffer);
        }
    }
}
