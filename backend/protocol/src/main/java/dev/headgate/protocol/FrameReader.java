package dev.headgate.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits the bytes of one direction into messages: a type byte, a length that includes itself, a body (PostgreSQL
 * documentation, "Message Formats"). Does no I/O: the caller feeds bytes as they arrive and takes messages as far as the
 * bytes reach.
 *
 * <pre>{@code
 * reader.feed(bytes, 0, count);
 * while (reader.isOpen() || reader.next()) {
 *     if (!reader.has(needed)) break;      // continue when more bytes arrive
 *     ... look at reader.array() from reader.position() on ...
 *     reader.pass(out) or reader.close();
 * }
 * reader.keep();
 * }</pre>
 *
 * <p>A message is <em>open</em> from {@link #next} until {@link #close} or until it has been forwarded. {@link #pass} forwards
 * a message as its bytes arrive, whatever its length. Fed bytes are used in place; {@link #keep} copies the rest, so that the
 * feeder gets its array back. A reader without unread bytes holds no buffer, and {@link #keep} wipes those that were read: a
 * client that stops in the middle of a message does not keep the one before, which may hold a password, in memory.
 * Belongs to one thread.
 */
public final class FrameReader {

    private static final int HEADER = 5;
    private static final byte[] NOTHING = {};
    private static final int LEAST_KEPT = 256;

    /** A longer buffer of which little is used is given up. */
    private static final int MOST_SPARE = 64 * 1024;

    private byte[] buffer = NOTHING;
    private int at;
    private int end;

    /** So many bytes of a buffer of its own are wiped. */
    private int wiped;

    /** Whether the buffer belongs to the feeder. */
    private boolean borrowed;

    private byte type;
    private int length;
    private int left;
    private boolean open;
    private boolean passing;

    /** So many bytes of the body's rest must be here before the message is looked at. */
    private int expected;

    /** What was gathered of the open message; null for none. */
    private @Nullable LongBytes gathered;

    /** Feeds more bytes of the stream. The array belongs to the reader until {@link #keep}. */
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
        boolean moves = borrowed || held + more > buffer.length;
        if (moves) {
            // at least the needed size, or what is expected; otherwise it doubles, by at most 1 MiB
            int needed = Math.max(held + more, expected);
            to = new byte[Math.max(LEAST_KEPT, Math.max(needed, Math.min(2 * held, held + (1 << 20))))];
        }
        System.arraycopy(buffer, at, to, 0, held);
        if (!moves) {
            Arrays.fill(buffer, held, end, (byte) 0);
        }
        buffer = to;
        at = 0;
        end = held;
        wiped = 0;
        borrowed = false;
    }

    /** Returns the fed array to its owner. Copies the unread bytes, and wipes the read ones. */
    public void keep() {
        if (at == end) {
            buffer = NOTHING;
            at = 0;
            end = 0;
            borrowed = false;
        } else if (borrowed) {
            makeRoom(0);
        } else if (buffer.length > MOST_SPARE && end - at < buffer.length / 4 && expected == 0) {
            shrink(); // a long message was read, and the begin of the next has come with it
        } else if (wiped < at) {
            Arrays.fill(buffer, wiped, at, (byte) 0);
            wiped = at;
        }
    }

    private void shrink() {
        byte[] to = Arrays.copyOfRange(buffer, at, end);
        Arrays.fill(buffer, wiped, end, (byte) 0);
        buffer = to;
        end -= at;
        at = 0;
        wiped = 0;
    }

    /** Forgets all its bytes, and wipes those of its own buffer. For a stream that nobody reads on. */
    public void discard() {
        if (!borrowed) {
            Arrays.fill(buffer, 0, end, (byte) 0);
        }
        buffer = NOTHING;
        at = 0;
        end = 0;
        wiped = 0;
        borrowed = false;
        left = 0;
        close();
    }

    /**
     * Goes to the next message. Skips the rest of a closed one.
     *
     * @return whether its header has arrived; if not, call again with more bytes
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
        if (counted < 4) { // checked before the subtraction, which would turn the smallest number into the largest
            throw new ProtocolException(
                    "a message of type " + describe(type) + " says that it is " + counted + " bytes long");
        }
        length = counted - 4;
        left = length;
        at += HEADER;
        open = true;
        expected = 0;
        return true;
    }

    /**
     * The caller looks at the open message when so many bytes of its rest are here. The buffer gets room for them at once, so that
     * a long message is not copied again and again as it arrives. The caller answers for the memory.
     */
    public void expect(int bytes) {
        expected = Math.min(left, bytes);
    }

    /**
     * Takes a message without a type, as at the start of a connection.
     *
     * @param least its least number of bytes, including its length
     * @param most its largest number of bytes
     * @return the bytes after its length; null if it is not complete
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

    /** Whether the next unread byte has arrived and is this one. */
    public boolean startsWith(byte first) {
        return at < end && buffer[at] == first;
    }

    /** Takes all bytes that have arrived and are unread, as they are, where they are messages of another protocol. */
    public byte[] takeRaw() {
        byte[] taken = Arrays.copyOfRange(buffer, at, end);
        at = end;
        return taken;
    }

    /** Whether a message is open. */
    public boolean isOpen() {
        return open;
    }

    /** Whether a message is being forwarded and is not complete yet. */
    public boolean isPassing() {
        return passing;
    }

    /** The type of the current message. */
    public char type() {
        return (char) (type & 0xff);
    }

    /** The length of the current message's body. */
    public int length() {
        return length;
    }

    /** The number of unread bytes of the current message's body. */
    public int left() {
        return left;
    }

    /** The number of bytes that it holds: unread ones that have arrived, and gathered ones. */
    public int buffered() {
        return end - at + (gathered == null ? 0 : gathered.filled());
    }

    /** Bytes of the buffer that it keeps, without gathered ones; 0 if it keeps none. */
    public int kept() {
        return borrowed ? 0 : buffer.length;
    }

    /** Whether some of the open message was gathered. */
    public boolean isGathering() {
        return gathered != null;
    }

    /**
     * Moves the bytes of the body's rest that have arrived out of the buffer, which holds a message in one array: this is for one that is too
     * long for that. The reader forgets them when the message is closed. The caller answers for the memory.
     *
     * @return what was moved so far, complete when all of the rest has arrived
     */
    public LongBytes gather() {
        LongBytes all = gathered;
        if (all == null) {
            all = new LongBytes(left);
            gathered = all;
        }
        int here = here();
        all.add(buffer, at, here);
        skip(here);
        return all;
    }

    /** Whether this many more bytes of the body have arrived, or all of its rest. */
    public boolean has(int bytes) {
        return end - at >= Math.min(left, bytes);
    }

    /** How many bytes of the body's rest have arrived. */
    public int here() {
        return Math.min(left, end - at);
    }

    /** The array with {@link #here} bytes of the body's rest from {@link #position} on. Read-only, and valid until the next call. */
    public byte[] array() {
        return buffer;
    }

    public int position() {
        return at;
    }

    /** A copy of the body's next bytes. Does not move the reader. */
    public byte[] peek(int bytes) {
        byte[] seen = new byte[Math.min(bytes, here())];
        System.arraycopy(buffer, at, seen, 0, seen.length);
        return seen;
    }

    /** Skips bytes of the body that have arrived. */
    public void skip(int bytes) {
        if (bytes > here()) {
            throw new IllegalArgumentException("only bytes that are here are skipped");
        }
        at += bytes;
        left -= bytes;
    }

    /** Closes the message. Its rest is skipped as it arrives. */
    public void close() {
        open = false;
        passing = false;
        expected = 0;
        gathered = null;
    }

    /** Writes the header and forwards the body as it arrives; see {@link #passRest}. */
    public boolean pass(FrameWriter out) {
        out.header(type(), length);
        return passRest(out);
    }

    /**
     * Forwards the bytes of the body's rest that have arrived. The message is {@link #isPassing passing} until all have.
     *
     * @return whether all have arrived
     */
    public boolean passRest(FrameWriter out) {
        int here = here();
        out.write(buffer, at, here);
        at += here;
        left -= here;
        open = left > 0;
        passing = left > 0;
        expected = 0;
        return left == 0;
    }

    // ---- parts of a body

    /** Four bytes as a number, in network byte order. */
    public static int int32(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    /** Two bytes as an unsigned number. */
    public static int int16(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    /** The text from this position up to a zero byte before {@code to}. */
    public static String cString(byte[] bytes, int from, int to) throws ProtocolException {
        return new String(bytes, from, after(bytes, from, to) - 1 - from, StandardCharsets.UTF_8);
    }

    /** The text from this position up to the next zero byte. */
    public static String cString(byte[] bytes, int from) throws ProtocolException {
        return cString(bytes, from, bytes.length);
    }

    /** The position after that text's zero byte. */
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
