package dev.headgate.protocol;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the bytes of one direction into messages: a type byte, a length that counts itself, a body (PostgreSQL
 * documentation, "Message Formats"). Does no I/O: bytes are fed in as they come, and messages come out as far as the bytes
 * reach.
 *
 * <pre>{@code
 * reader.feed(bytes, 0, count);
 * while (reader.isOpen() || reader.next()) {
 *     if (!reader.has(needed)) break;      // come again with more bytes
 *     ... look at reader.array() from reader.position() on ...
 *     reader.pass(out) or reader.close();
 * }
 * reader.keep();
 * }</pre>
 *
 * <p>A message is <em>open</em> from {@link #next} until {@link #close} or until it has been passed on. A message that is
 * being passed on ({@link #pass}) leaves as its bytes come, whatever its length. Bytes that are fed are used where they
 * are; {@link #keep} copies what is left of them, so that the feeder has its array back. While nothing is left the reader
 * holds no buffer. Belongs to one thread.
 */
public final class FrameReader {

    private static final int HEADER = 5;
    private static final byte[] NOTHING = {};
    private static final int LEAST_KEPT = 256;

    private byte[] buffer = NOTHING;
    private int at;
    private int end;

    /** The buffer is the feeder's. */
    private boolean borrowed;

    private byte type;
    private int length;
    private int left;
    private boolean open;
    private boolean passing;

    /** Takes more bytes of the stream. The array is the reader's until {@link #keep}. */
    public void feed(byte[] bytes, int from, int count) {
        if (at == end) {
            buffer = bytes;
            at = from;
            end = from + count;
            borrowed = true;
            return;
        }
        makeRoom(count);
        System.arraycopy(bytes, from, buffer, end, count);
        end += count;
    }

    private void makeRoom(int more) {
        int held = end - at;
        if (!borrowed && end + more <= buffer.length) {
            return;
        }
        byte[] to = buffer;
        if (borrowed || held + more > buffer.length) {
            // a message that is known to come whole gets its room at once, all others twice what they have
            to = new byte[Math.max(LEAST_KEPT, Math.max(held + more, Math.min(2 * held, held + (1 << 20))))];
        }
        System.arraycopy(buffer, at, to, 0, held);
        buffer = to;
        at = 0;
        end = held;
        borrowed = false;
    }

    /** Gives the fed array back to its owner: copies what has not been read. */
    public void keep() {
        if (at == end) {
            buffer = NOTHING;
            at = 0;
            end = 0;
            borrowed = false;
        } else if (borrowed) {
            makeRoom(0);
        }
    }

    /**
     * Goes to the next message, past what is left of a closed one.
     *
     * @return whether its header is here; if not, come again with more bytes
     * @throws ProtocolException if the header's length is impossible
     */
    public boolean next() throws ProtocolException {
        if (left > 0) {
            int here = Math.min(left, end - at);
            at += here;
            left -= here;
        }
        if (left > 0 || end - at < HEADER) {
            return false;
        }
        type = buffer[at];
        int counted = int32(buffer, at + 1);
        if (counted < 4) { // looked at before anything is taken from it: the least number would become the greatest
            throw new ProtocolException(
                    "a message of type " + describe(type) + " says that it is " + counted + " bytes long");
        }
        length = counted - 4;
        left = length;
        at += HEADER;
        open = true;
        return true;
    }

    /**
     * Takes a message without a type, as those of a connection's beginning are.
     *
     * @param least bytes that it has with its length
     * @param most bytes that it may have
     * @return what follows its length; null where it is not here whole
     * @throws ProtocolException if its length is not between these
     */
    public byte @Nullable [] untyped(int least, int most) throws ProtocolException {
        if (end - at < 4) {
            return null;
        }
        int size = int32(buffer, at);
        if (size < least || size > most) {
            throw new ProtocolException("a startup message has " + least + " to " + most + " bytes, not " + size);
        }
        if (end - at < size) {
            return null;
        }
        byte[] body = new byte[size - 4];
        System.arraycopy(buffer, at + 4, body, 0, body.length);
        at += size;
        return body;
    }

    /** Whether there is a message that has been begun and not been dealt with. */
    public boolean isOpen() {
        return open;
    }

    /** Whether a message is being passed on and has not come to its end. */
    public boolean isPassing() {
        return passing;
    }

    /** The type of the present message. */
    public char type() {
        return (char) (type & 0xff);
    }

    /** The length of the present message's body. */
    public int length() {
        return length;
    }

    /** Bytes of the present message's body that have not been read. */
    public int left() {
        return left;
    }

    /** Bytes here that have not been read. */
    public int buffered() {
        return end - at;
    }

    /** Whether so many more bytes of the body are here, or all that are left of it. */
    public boolean has(int bytes) {
        return end - at >= Math.min(left, bytes);
    }

    /** How much of the body's rest is here. */
    public int here() {
        return Math.min(left, end - at);
    }

    /** Holds the body's rest from {@link #position} on, {@link #here} bytes of it; to be looked at only, and only until the next call. */
    public byte[] array() {
        return buffer;
    }

    public int position() {
        return at;
    }

    /** A copy of the body's next bytes; the reader stays where it is. */
    public byte[] peek(int bytes) {
        byte[] seen = new byte[Math.min(bytes, here())];
        System.arraycopy(buffer, at, seen, 0, seen.length);
        return seen;
    }

    /** Goes on within the body, over bytes that are here. */
    public void skip(int bytes) {
        if (bytes > here()) {
            throw new IllegalArgumentException("only bytes that are here are skipped");
        }
        at += bytes;
        left -= bytes;
    }

    /** The message has been dealt with; what is left of it is skipped, as it comes. */
    public void close() {
        open = false;
        passing = false;
    }

    /** Writes the header and passes the body on as it comes; see {@link #passRest}. */
    public boolean pass(FrameWriter out) {
        out.header(type(), length);
        return passRest(out);
    }

    /**
     * Passes on what is here of the body's rest; the message is {@link #isPassing passing} until all of it has come.
     *
     * @return whether it has
     */
    public boolean passRest(FrameWriter out) {
        int here = here();
        out.write(buffer, at, here);
        at += here;
        left -= here;
        open = left > 0;
        passing = left > 0;
        return left == 0;
    }

    // ---- parts of a body

    /** Four bytes as a number, in the network's order. */
    public static int int32(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    /** Two bytes as a number without a sign. */
    public static int int16(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    /** The text from there up to a zero byte before {@code to}. */
    public static String cString(byte[] bytes, int from, int to) throws ProtocolException {
        return new String(bytes, from, after(bytes, from, to) - 1 - from, StandardCharsets.UTF_8);
    }

    /** The text from there up to the next zero byte. */
    public static String cString(byte[] bytes, int from) throws ProtocolException {
        return cString(bytes, from, bytes.length);
    }

    /** Where that text's zero byte has been left behind. */
    public static int after(byte[] bytes, int from, int to) throws ProtocolException {
        for (int at = from; at < to; at++) {
            if (bytes[at] == 0) {
                return at + 1;
            }
        }
        throw new ProtocolException("a string in a message has no end");
    }

    static String describe(byte type) {
        return type >= 32 && type < 127 ? "'" + (char) type + "'" : "0x%02x".formatted(type);
    }
}
