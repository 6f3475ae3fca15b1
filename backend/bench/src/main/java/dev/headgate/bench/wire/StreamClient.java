package dev.headgate.bench.wire;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;

/**
 * A client of the stream that counts bytes as they come over the wire, frame headers included, with permessage-deflate as a
 * browser offers it or without. Its figures are read by another thread while it runs.
 */
final class StreamClient implements AutoCloseable {

    private static final int FINAL = 0x80;
    private static final int MASK = 0x80;
    private static final String TIME = "\"time\":\"";

    private final Socket socket = new Socket();
    private final InputStream in;
    private final OutputStream out;
    private final LongAdder wireBytes = new LongAdder();
    private final LongAdder textBytes = new LongAdder();
    private final LongAdder frames = new LongAdder();
    private volatile boolean measuring;
    private volatile boolean fed;

    /** Why the connection ended; empty while it has not. */
    private volatile String end = "";

    private final Ages ages;

    /** @param smallBuffer for a client that will not read: the service feels it at once */
    StreamClient(Service service, boolean deflate, boolean smallBuffer, Ages ages) throws IOException {
        this.ages = ages;
        if (smallBuffer) {
            socket.setReceiveBufferSize(4_096);
        }
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), service.httpPort()));
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        String offer = deflate ? "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n" : "";
        out.write(("GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:" + service.httpPort()
                        + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer " + service.token()
                        + "\r\n" + offer + "\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        String status = line();
        if (!status.contains(" 101")) {
            throw new IOException("the stream answered " + status);
        }
        while (!line().isEmpty()) {
            // the headers
        }
    }

    /** Asks for something; from now on a frame may come. */
    void subscribe(String message) throws IOException {
        byte[] payload = message.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(FINAL | 1);
        if (payload.length < 126) {
            frame.write(MASK | payload.length);
        } else {
            frame.write(MASK | 126);
            frame.write(payload.length >> 8);
            frame.write(payload.length);
        }
        frame.writeBytes(new byte[4]); // a mask of zeros changes nothing
        frame.writeBytes(payload);
        out.write(frame.toByteArray());
        out.flush();
    }

    /** Reads until the socket is closed. */
    void read() {
        try (Messages messages = new Messages(in)) {
            while (true) {
                take(messages.next(), messages.wireBytes());
            }
        } catch (IOException e) {
            end = String.valueOf(e.getMessage() == null ? e : e.getMessage());
        }
    }

    private void take(byte[] text, long bytes) {
        String head = new String(text, 0, Math.min(200, text.length), StandardCharsets.UTF_8);
        boolean delta = head.startsWith("{\"type\":\"delta\"");
        if (delta) {
            fed = true;
        }
        if (!measuring) {
            return;
        }
        wireBytes.add(bytes);
        textBytes.add(text.length);
        frames.increment();
        int at = head.indexOf(TIME);
        if (at > 0 && delta) {
            int from = at + TIME.length();
            Instant made = Instant.parse(head.substring(from, head.indexOf('"', from)));
            ages.add(Duration.between(made, Instant.now()).toNanos());
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the service hung up in the handshake");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /**
     * Whether its snapshot is through: a delta has come.
     *
     * @throws IllegalStateException if the connection ended before
     */
    boolean isFed() {
        if (!fed && !end.isEmpty()) {
            throw new IllegalStateException("a client of the stream got no delta: " + end);
        }
        return fed;
    }

    /** @throws IllegalStateException if the connection has ended */
    void check() {
        if (!end.isEmpty()) {
            throw new IllegalStateException("a client of the stream was cut off: " + end);
        }
    }

    void measure(boolean on) {
        measuring = on;
    }

    long wireBytes() {
        return wireBytes.sum();
    }

    long textBytes() {
        return textBytes.sum();
    }

    long frames() {
        return frames.sum();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
