package dev.headgate.bench.wire;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The messages of a WebSocket as a client reads them: a message of many frames is put together before it is inflated, pings and
 * pongs are passed over, and the end is an {@link IOException} that says why. For one thread.
 */
final class Messages implements AutoCloseable {

    private static final int FINAL = 0x80;
    private static final int COMPRESSED = 0x40;
    private static final int CONTROL = 0x08;
    private static final int CLOSE = 0x08;
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff};

    private final DataInputStream in;
    private final Inflater inflater = new Inflater(true);
    private long wireBytes;

    Messages(InputStream in) {
        this.in = new DataInputStream(in);
    }

    /**
     * The next message, inflated. Blocks.
     *
     * @throws IOException if the service closed, with its code and reason, or the socket ended
     */
    byte[] next() throws IOException {
        wireBytes = 0;
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        boolean compressed = false;
        while (true) {
            int first = in.readUnsignedByte();
            byte[] payload = payload();
            int kind = first & 0x0f;
            if (kind == CLOSE) {
                throw new IOException("the service closed: " + reason(payload));
            }
            if ((kind & CONTROL) != 0) {
                continue;
            }
            compressed |= (first & COMPRESSED) != 0;
            message.writeBytes(payload);
            if ((first & FINAL) != 0) {
                return compressed ? inflate(message.toByteArray()) : message.toByteArray();
            }
        }
    }

    /** What the last message took on the wire, with the headers of its frames. */
    long wireBytes() {
        return wireBytes;
    }

    private byte[] payload() throws IOException {
        long length = in.readUnsignedByte() & 0x7f;
        wireBytes += 2;
        if (length == 126) {
            length = in.readUnsignedShort();
            wireBytes += 2;
        } else if (length == 127) {
            length = in.readLong();
            wireBytes += 8;
        }
        wireBytes += length;
        byte[] payload = in.readNBytes(Math.toIntExact(length));
        if (payload.length < length) {
            throw new IOException("the socket ended within a frame");
        }
        return payload;
    }

    private static String reason(byte[] payload) {
        return payload.length < 2
                ? "without a code"
                : (((payload[0] & 0xff) << 8) | (payload[1] & 0xff))
                        + " "
                        + new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8);
    }

    private byte[] inflate(byte[] payload) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream(payload.length * 4);
        byte[] some = new byte[8_192];
        try {
            for (byte[] input : new byte[][] {payload, TAIL}) {
                inflater.setInput(input);
                for (int n = inflater.inflate(some); n > 0; n = inflater.inflate(some)) {
                    text.write(some, 0, n);
                }
            }
        } catch (DataFormatException e) {
            throw new IOException("a message cannot be inflated", e);
        }
        return text.toByteArray();
    }

    @Override
    public void close() {
        inflater.close();
    }
}
