package dev.headgate.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A WebSocket client that reads when a test says so and not before, so that a test can be a slow reader, and that sends
 * whatever a test wants, so that it can be a rude one.
 */
final class TestSocket implements AutoCloseable {

    private static final int FINAL = 0x80;
    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;

    /** The server ended it. */
    static final class Closed extends IOException {
        private static final long serialVersionUID = 1;
        final int code;
        final String reason;

        Closed(int code, String reason) {
            super(code + " " + reason);
            this.code = code;
            this.reason = reason;
        }
    }

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private final OutputStream out;
    final int status;
    final Map<String, String> headers = new LinkedHashMap<>();

    /** @param headers further lines of the handshake, as name and value in turn */
    TestSocket(int port, String... headers) throws IOException {
        socket.setReceiveBufferSize(8_192); // small, so that not reading is felt at the other end
        socket.setSoTimeout(20_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1_024));
        out = socket.getOutputStream();
        StringBuilder request = new StringBuilder("GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:" + port
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
        for (int n = 0; n < headers.length; n += 2) {
            request.append(headers[n]).append(": ").append(headers[n + 1]).append("\r\n");
        }
        out.write(request.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        status = Integer.parseInt(line().split(" ")[1]);
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            this.headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).strip());
        }
    }

    void send(String text) throws IOException {
        send(TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    void sendBinary(byte... bytes) throws IOException {
        send(BINARY, bytes);
    }

    /** The next frame. */
    JsonNode read() throws IOException {
        return JsonMapper.shared().readTree(readText());
    }

    /** Reads up to the first frame that fits. Fails after two minutes of others. */
    JsonNode readUntil(Predicate<JsonNode> fits) throws IOException {
        long end = System.nanoTime() + Service.PATIENCE.toNanos();
        while (true) {
            JsonNode frame = read();
            if (fits.test(frame)) {
                return frame;
            }
            assertThat(System.nanoTime() - end)
                    .as("no such frame before %s", frame)
                    .isNegative();
        }
    }

    static Predicate<JsonNode> type(String type) {
        return frame -> frame.path("type").stringValue("").equals(type);
    }

    /** The next text message, put together from its fragments. */
    String readText() throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        while (true) {
            int first = in.readUnsignedByte();
            int length = in.readUnsignedByte();
            long size = length == 127 ? in.readLong() : length == 126 ? in.readUnsignedShort() : length;
            byte[] payload = in.readNBytes((int) size);
            switch (first & 0x0f) {
                case CONTINUATION, TEXT -> {
                    message.write(payload);
                    if ((first & FINAL) != 0) {
                        return message.toString(StandardCharsets.UTF_8);
                    }
                }
                case CLOSE ->
                    throw new Closed(
                            ((payload[0] & 0xff) << 8) | (payload[1] & 0xff),
                            new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8));
                case PING -> {}
                default -> throw new IOException("unexpected opcode " + (first & 0x0f));
            }
        }
    }

    /** Reads up to the close frame. */
    Closed readClose() throws IOException {
        try {
            while (true) {
                readText();
            }
        } catch (Closed closed) {
            return closed;
        }
    }

    private void send(int opcode, byte[] payload) throws IOException {
        byte[] header = payload.length < 126
                ? new byte[] {(byte) (0x80 | opcode), (byte) (0x80 | payload.length)}
                : new byte[] {
                    (byte) (0x80 | opcode), (byte) (0x80 | 126), (byte) (payload.length >> 8), (byte) payload.length
                };
        out.write(header);
        out.write(new byte[4]); // a mask of zeros changes nothing
        out.write(payload);
        out.flush();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the server hung up in the handshake, after: " + line);
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        try {
            socket.close();
        } catch (SocketException e) {
            // Closed already.
        }
    }
}
