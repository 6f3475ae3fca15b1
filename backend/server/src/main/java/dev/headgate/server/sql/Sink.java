package dev.headgate.server.sql;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Gathers the bytes of an answer. Until the first of them leave, the status can still become another one. Belongs to one thread.
 */
final class Sink {

    /** So many bytes leave at once. */
    private static final int CHUNK = 16 * 1024;

    /** Where the bytes go. */
    interface Way {
        /** Begins the answer. Called once, before the first bytes leave. */
        OutputStream open() throws IOException;

        /**
         * An answer that must leave as a whole has become so many bytes long.
         *
         * @throws RuntimeException if that is too long
         */
        default void grown(int bytes) {}
    }

    private final Way way;
    private final boolean whole;
    private byte[] bytes = new byte[1024];
    private int filled;
    private OutputStream out = OutputStream.nullOutputStream();
    private boolean open;

    /** @param whole whether nothing may leave before the end */
    Sink(Way way, boolean whole) {
        this.way = way;
        this.whole = whole;
    }

    /** Whether bytes have left: the status is settled. */
    boolean isOpen() {
        return open;
    }

    /** The bytes that have not left. */
    int size() {
        return filled;
    }

    /** Forgets what has not left. */
    void reset() {
        filled = 0;
    }

    void put(int single) {
        if (filled == bytes.length) {
            makeRoom(1);
        }
        bytes[filled++] = (byte) single;
    }

    void write(byte[] from, int offset, int count) {
        if (count > CHUNK && !whole) {
            send();
            send(from, offset, count);
            return;
        }
        if (count > bytes.length - filled) {
            makeRoom(count);
        }
        System.arraycopy(from, offset, bytes, filled, count);
        filled += count;
    }

    void ascii(String text) {
        for (int i = 0; i < text.length(); i++) {
            put(text.charAt(i));
        }
    }

    void text(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        write(encoded, 0, encoded.length);
    }

    /** Writes a JSON string. */
    void string(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        JsonText.quote(encoded, 0, encoded.length, this);
    }

    private void makeRoom(int more) {
        if (!whole && filled >= CHUNK) {
            send();
        }
        if (more > bytes.length - filled) {
            int needed = filled + more;
            if (whole) {
                way.grown(needed);
            }
            bytes = Arrays.copyOf(bytes, Math.max(needed, Math.min(2 * bytes.length, bytes.length + CHUNK * 32)));
        }
    }

    private void send() {
        send(bytes, 0, filled);
        filled = 0;
    }

    private void send(byte[] from, int offset, int count) {
        try {
            if (!open) {
                out = way.open();
                open = true;
            }
            out.write(from, offset, count);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends what is there to the caller now, unless the answer must leave as a whole. */
    void flush() {
        if (!whole && filled > 0) {
            send();
            try {
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Sends the rest. */
    void end() {
        send();
    }
}
