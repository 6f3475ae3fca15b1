package dev.headgate.wire.protocol;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads messages of the protocol: a type byte, a length that counts itself, a body (PostgreSQL documentation, "Message
 * Formats"). A message is looked at ({@link #body}, {@link #peek}), passed on or skipped; of a body of any length no more
 * than a buffer is held at once.
 *
 * <p>While there is nothing to read it holds a buffer of {@value #IDLE_SIZE} bytes, which ordinary requests fit into.
 * One thread at a time.
 */
public final class FrameReader {

    private static final int IDLE_SIZE = 512;
    private static final int HEADER = 5;

    private final InputStream in;
    private final Buffers buffers;
    private final byte[] idle;
    private byte[] buffer;
    private int at;
    private int end;

    private byte type;
    private int length;
    private int left;

    public FrameReader(InputStream in, Buffers buffers) {
        this.in = in;
        this.buffers = buffers;
        this.idle = new byte[IDLE_SIZE];
        this.buffer = idle;
    }

    /**
     * Goes to the next message; what is left of the one before is skipped. Blocks.
     *
     * @return whether there is one; false where the stream ended between two
     */
    public boolean next() throws IOException {
        skip();
        if (at == end) {
            rest();
        }
        if (!fill(HEADER, true)) {
            return false;
        }
        type = buffer[at];
        length = int32(buffer, at + 1) - 4;
        if (length < 0) {
            throw new ProtocolException(
                    "a message of type " + describe(type) + " says that it is " + (length + 4) + " bytes long");
        }
        left = length;
        at += HEADER;
        return true;
    }

    /** Whether the next message has begun to arrive already, so that {@link #next} will not wait for its sender's will. */
    public boolean hasMore() {
        return end - at > left;
    }

    /** Whether some of the present message has not been taken yet. */
    public boolean isWithin() {
        return left > 0;
    }

    /** The type of the present message. */
    public char type() {
        return (char) (type & 0xff);
    }

    /** The length of the present message's body. */
    public int length() {
        return length;
    }

    /**
     * The whole body.
     *
     * @throws ProtocolException if it is longer than {@code most}
     */
    public byte[] body(int most) throws IOException {
        if (length > most) {
            throw new ProtocolException(
                    "54000",
                    "a message of type " + describe(type) + " may have " + most + " bytes here, and has " + length);
        }
        byte[] body = new byte[left];
        int got = Math.min(left, end - at);
        System.arraycopy(buffer, at, body, 0, got);
        at += got;
        if (got < left) {
            if (in.readNBytes(body, got, left - got) < left - got) {
                throw new EOFException("the stream ended within a message");
            }
        }
        left = 0;
        return body;
    }

    /** The beginning of the body, at most {@value Buffers#SIZE} bytes less a header, without going on. Blocks. */
    public byte[] peek(int most) throws IOException {
        int want = Math.min(Math.min(left, most), Buffers.SIZE - HEADER);
        fill(want, false);
        byte[] seen = new byte[want];
        System.arraycopy(buffer, at, seen, 0, want);
        return seen;
    }

    /**
     * Has the body here, or as much of it as a buffer holds, so that looking at it and passing it on do not wait. Blocks.
     *
     * @return whether it is here whole
     */
    public boolean gather() throws IOException {
        int want = Math.min(left, Buffers.SIZE - HEADER);
        fill(want, false);
        return want == left;
    }

    /** Goes on within the body. */
    public void skip(int bytes) throws IOException {
        if (bytes > left || bytes > end - at) {
            throw new IllegalArgumentException("only what was peeked at is skipped");
        }
        at += bytes;
        left -= bytes;
    }

    /** Writes header and body. */
    public void pass(FrameWriter out) throws IOException {
        out.header(type(), length);
        passRest(out);
    }

    /** Writes what is left of the body. Blocks. */
    public void passRest(FrameWriter out) throws IOException {
        while (left > 0) {
            if (at == end) {
                refill();
            }
            int here = Math.min(left, end - at);
            out.write(buffer, at, here);
            at += here;
            left -= here;
        }
    }

    private void skip() throws IOException {
        while (left > 0) {
            if (at == end) {
                refill();
            }
            int here = Math.min(left, end - at);
            at += here;
            left -= here;
        }
    }

    private void refill() throws IOException {
        at = 0;
        end = 0;
        if (buffer.length == idle.length && left > idle.length) {
            buffer = buffers.take();
        }
        fill(1, false);
    }

    /** Nothing is buffered: the large buffer goes back. */
    private void rest() {
        at = 0;
        end = 0;
        if (buffer.length != idle.length) {
            buffers.give(buffer);
            buffer = idle;
        }
    }

    /** Sees to it that so many bytes are there from {@code at} on. */
    private boolean fill(int want, boolean mayEnd) throws IOException {
        while (end - at < want) {
            if (at + want > buffer.length || end == buffer.length) {
                makeRoom();
            }
            int got = in.read(buffer, end, buffer.length - end);
            if (got < 0) {
                if (mayEnd && end == at) {
                    return false;
                }
                throw new EOFException("the stream ended within a message");
            }
            end += got;
        }
        return true;
    }

    private void makeRoom() {
        byte[] to = buffer.length == idle.length ? buffers.take() : buffer;
        System.arraycopy(buffer, at, to, 0, end - at);
        end -= at;
        at = 0;
        buffer = to;
    }

    /** Four bytes as a number, in the network's order. */
    public static int int32(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    private static int int16(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    /**
     * Where the values of a Bind message's parameters begin, each behind its length; 0 for NULL.
     *
     * @param from where the parameters' formats are
     * @throws ProtocolException if they are not all there
     */
    public static int[] parameters(byte[] bind, int from) throws ProtocolException {
        try {
            int at = from + 2 + 2 * int16(bind, from);
            int[] begins = new int[int16(bind, at)];
            at += 2;
            for (int i = 0; i < begins.length; i++) {
                int length = int32(bind, at);
                at += 4;
                begins[i] = length < 0 ? 0 : at;
                at += Math.max(0, length);
            }
            if (at > bind.length) {
                throw new ProtocolException("54000", "the parameters of set_config are too long here");
            }
            return begins;
        } catch (IndexOutOfBoundsException | NegativeArraySizeException cut) {
            throw new ProtocolException("54000", "the parameters of set_config are too long here");
        }
    }

    static String describe(byte type) {
        return type >= 32 && type < 127 ? "'" + (char) type + "'" : "0x%02x".formatted(type);
    }

    /** The text up to the next zero byte. */
    public static String cString(byte[] bytes, int from) throws ProtocolException {
        return new String(bytes, from, after(bytes, from) - 1 - from, StandardCharsets.UTF_8);
    }

    /** Where that text's zero byte has been left behind. */
    public static int after(byte[] bytes, int from) throws ProtocolException {
        for (int at = from; at < bytes.length; at++) {
            if (bytes[at] == 0) {
                return at + 1;
            }
        }
        throw new ProtocolException("a string in a message has no end");
    }
}
