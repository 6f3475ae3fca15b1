package dev.headgate.protocol;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the messages for one peer until they are sent. Does no I/O: {@link #drain} hands the bytes to a {@link Sink}.
 * Holds buffers only while it holds bytes. Belongs to one thread.
 */
public final class FrameWriter {

    /** Accepts bytes. */
    public interface Sink {
        /** @return how many were accepted; fewer than {@code count} if there is no room now */
        int take(byte[] bytes, int offset, int count) throws IOException;
    }

    private Buffers buffers;

    /** The buffers. The first is used from {@code at} on, the last up to {@code end}, those between fully. */
    private byte @Nullable [] first;

    private final ArrayDeque<byte[]> more = new ArrayDeque<>(0);
    private int at;
    private int end;
    private int size;
    private boolean discards;

    public FrameWriter(Buffers buffers) {
        this.buffers = buffers;
    }

    /** Changes the pool of its buffers. Only while it is empty. */
    public void use(Buffers others) {
        buffers = others;
    }

    /** The number of unsent bytes. */
    public int size() {
        return size;
    }

    /** About how many bytes its buffers have: one that is begun counts as a whole. */
    public int kept() {
        return first == null ? 0 : Math.max(size, (1 + more.size()) * Buffers.SIZE);
    }

    /** Discards its bytes and all bytes written later. */
    public void discard() {
        discards = true;
        while (first != null) {
            dropFirst();
        }
        size = 0;
    }

    /**
     * Hands over written bytes, as far as they are accepted.
     *
     * @return whether all were
     */
    public boolean drain(Sink sink) throws IOException {
        for (byte[] buffer = first; buffer != null; buffer = first) {
            int limit = more.isEmpty() ? end : buffer.length;
            int taken = sink.take(buffer, at, limit - at);
            at += taken;
            size -= taken;
            if (at < limit) {
                return false;
            }
            dropFirst();
        }
        return true;
    }

    /** Removes and returns the unsent bytes. */
    public byte[] bytes() {
        byte[] all = new byte[size];
        int filled = 0;
        for (byte[] buffer = first; buffer != null; buffer = first) {
            int here = (more.isEmpty() ? end : buffer.length) - at;
            System.arraycopy(buffer, at, all, filled, here);
            filled += here;
            dropFirst();
        }
        size = 0;
        return all;
    }

    private void dropFirst() {
        byte[] sent = first;
        if (sent != null) {
            buffers.give(sent, more.isEmpty() ? end : sent.length);
        }
        first = more.pollFirst();
        at = 0;
        if (first == null) {
            end = 0;
        }
    }

    // ---- writing

    /** Writes the header of a message. Its body of this many bytes must follow. */
    public FrameWriter header(char type, int length) {
        put(type);
        return int32(length + 4);
    }

    /** Writes a complete message. */
    public FrameWriter message(char type, byte... body) {
        header(type, body.length);
        return write(body, 0, body.length);
    }

    /** Writes a complete message whose body is a zero-terminated text. */
    public FrameWriter message(char type, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        header(type, bytes.length + 1);
        return write(bytes, 0, bytes.length).put(0);
    }

    public FrameWriter int32(int value) {
        return put(value >> 24).put(value >> 16).put(value >> 8).put(value);
    }

    public FrameWriter int16(int value) {
        return put(value >> 8).put(value);
    }

    public FrameWriter put(int single) {
        if (discards) {
            return this;
        }
        byte[] to = last();
        if (to == null || end == to.length) {
            to = extend();
        }
        to[end++] = (byte) single;
        size++;
        return this;
    }

    /** Writes a zero-terminated text. */
    public FrameWriter cString(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return write(bytes, 0, bytes.length).put(0);
    }

    /** Writes a ParameterStatus message. */
    public FrameWriter reported(String name, String value) {
        return header('S', sizeOf(name) + sizeOf(value)).cString(name).cString(value);
    }

    /** The number of bytes that {@link #cString} writes. */
    public static int sizeOf(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length + 1;
    }

    public FrameWriter write(byte[] bytes) {
        return write(bytes, 0, bytes.length);
    }

    public FrameWriter write(byte[] bytes, int offset, int count) {
        if (discards) {
            return this;
        }
        int from = offset;
        int left = count;
        while (left > 0) {
            byte[] to = last();
            if (to == null || end == to.length) {
                to = extend();
            }
            int here = Math.min(left, to.length - end);
            System.arraycopy(bytes, from, to, end, here);
            end += here;
            from += here;
            left -= here;
        }
        size += count;
        return this;
    }

    /**
     * Writes an array without copying it, if it is longer than a buffer. It must not change until it is sent.
     */
    public FrameWriter share(byte[] bytes) {
        if (discards || bytes.length <= Buffers.SIZE) {
            return write(bytes);
        }
        endLastBuffer();
        if (first == null) {
            first = bytes;
            at = 0;
        } else {
            more.addLast(bytes);
        }
        end = bytes.length;
        size += bytes.length;
        return this;
    }

    /** Nothing more goes into the last buffer: all but the last are sent to their ends. */
    private void endLastBuffer() {
        byte[] last = last();
        if (last == null || end == last.length) {
            return;
        }
        byte[] exact = Arrays.copyOf(last, end);
        if (more.isEmpty()) {
            first = exact;
        } else {
            more.removeLast();
            more.addLast(exact);
        }
        buffers.give(last, end);
    }

    private byte @Nullable [] last() {
        return more.isEmpty() ? first : more.peekLast();
    }

    private byte[] extend() {
        byte[] fresh = buffers.take();
        if (first == null) {
            first = fresh;
            at = 0;
        } else {
            more.addLast(fresh);
        }
        end = 0;
        return fresh;
    }
}
