package dev.headgate.wire.protocol;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes messages of the protocol, many to a packet; holds a buffer only between the first write and the flush. */
public final class FrameWriter {

    private final OutputStream out;
    private final Buffers buffers;
    private byte @Nullable [] buffer;
    private int end;
    private long written;

    public FrameWriter(OutputStream out, Buffers buffers) {
        this.out = out;
        this.buffers = buffers;
    }

    /** Bytes written so far, also those that are not flushed yet. */
    public long written() {
        return written;
    }

    /** The head of a message whose body of so many bytes is to follow. */
    public FrameWriter header(char type, int length) throws IOException {
        byte[] to = room(5);
        to[end++] = (byte) type;
        put32(to, length + 4);
        written += 5;
        return this;
    }

    /** A whole message. */
    public FrameWriter message(char type, byte... body) throws IOException {
        header(type, body.length);
        return write(body, 0, body.length);
    }

    public FrameWriter int32(int value) throws IOException {
        put32(room(4), value);
        written += 4;
        return this;
    }

    /** A text with its zero byte. */
    public FrameWriter cString(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(bytes, 0, bytes.length);
        room(1)[end++] = 0;
        written++;
        return this;
    }

    /** ParameterStatus: what the server tells of a setting. */
    public FrameWriter reported(String name, String value) throws IOException {
        return header('S', sizeOf(name) + sizeOf(value)).cString(name).cString(value);
    }

    /** How many bytes {@link #cString} takes. */
    public static int sizeOf(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length + 1;
    }

    public FrameWriter write(byte[] bytes, int offset, int count) throws IOException {
        written += count;
        if (count > Buffers.SIZE / 2) {
            drain();
            out.write(bytes, offset, count);
            return this;
        }
        System.arraycopy(bytes, offset, room(count), end, count);
        end += count;
        return this;
    }

    /** Sends what was written, and holds no buffer any more. Blocks. */
    public void flush() throws IOException {
        drain();
        if (buffer != null) {
            buffers.give(buffer);
            buffer = null;
        }
    }

    private void drain() throws IOException {
        byte[] full = buffer;
        if (full != null && end > 0) {
            int count = end;
            end = 0;
            out.write(full, 0, count);
        }
    }

    private byte[] room(int bytes) throws IOException {
        byte[] to = buffer;
        if (to == null) {
            to = buffers.take();
            buffer = to;
        } else if (end + bytes > to.length) {
            drain();
        }
        return to;
    }

    private void put32(byte[] to, int value) {
        to[end++] = (byte) (value >> 24);
        to[end++] = (byte) (value >> 16);
        to[end++] = (byte) (value >> 8);
        to[end++] = (byte) value;
    }
}
