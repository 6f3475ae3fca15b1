package dev.headgate.server.sql;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Gathers the bytes of an answer. Until the first of them leave, the status can still become another one, so they are held back
 * until {@link #release}: at most {@value #MOST_HELD} of them, beyond {@value #CHUNK} only while there is memory. Belongs to one
 * thread.
 */
final class Sink {

    /** So many bytes leave at once. */
    private static final int CHUNK = 16 * 1024;

    /** The most bytes that wait for a release. */
    private static final int MOST_HELD = 1024 * 1024;

    /** For an answer that leaves as a whole. */
    static final int WHOLE = Integer.MAX_VALUE;

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
    private final int least;
    private final LongPredicate memory;
    private byte[] bytes = new byte[1024];
    private int filled;
    private OutputStream out = OutputStream.nullOutputStream();
    private boolean open;
    private boolean released;
    private int held = CHUNK;

    /**
     * @param least the bytes of an answer that wait for more even after a release; {@link #WHOLE} if nothing may leave before the end
     * @param memory reserves so many bytes for what is held back; false if there is none. Not asked for a whole answer
     */
    Sink(Way way, int least, LongPredicate memory) {
        this.way = way;
        this.least = least;
        this.memory = memory;
    }

    /** The status will not become another one: what is there may leave, unless it must as a whole. */
    void release() {
        released = least < WHOLE;
    }

    boolean isReleased() {
        return released;
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
        if (count > CHUNK && mayLeave(count)) {
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

    private boolean mayLeave(int more) {
        return open || (released && more > least - filled);
    }

    private void makeRoom(int more) {
        if (filled >= CHUNK && mayLeave(more)) {
            send();
        }
        if (more > bytes.length - filled && !mayHold(filled + more)) {
            send();
        }
        if (more > bytes.length - filled) {
            int needed = filled + more;
            bytes = Arrays.copyOf(bytes, Math.max(needed, Math.min(2 * bytes.length, bytes.length + CHUNK * 32)));
        }
    }

    /** Whether so many bytes may be here; otherwise they leave. */
    private boolean mayHold(int count) {
        if (least == WHOLE) {
            way.grown(count);
        } else if (!open && count > held) {
            if (count > MOST_HELD || !memory.test(2L * (count - held))) {
                return false;
            }
            held = count;
        }
        return true;
    }

    private void send() {
        send(bytes, 0, filled);
        filled = 0;
        if (bytes.length > 2 * CHUNK) { // it was held back
            bytes = new byte[CHUNK];
        }
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
        if (filled > 0 && mayLeave(0)) {
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
