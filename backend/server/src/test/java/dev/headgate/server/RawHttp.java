package dev.headgate.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Sends bytes that need not be a request of HTTP, and reads what is answered. Keeps its connection while the server does. */
final class RawHttp implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 60_000;

    /** @param headers by lower-case name */
    record Answer(int status, Map<String, String> headers, String body) {
        String contentType() {
            return headers.getOrDefault("content-type", "");
        }
    }

    private final int port;
    private @Nullable Socket socket;
    private InputStream in = InputStream.nullInputStream();

    RawHttp(int port) {
        this.port = port;
    }

    /**
     * The answer to a request.
     *
     * @param hasBody whether an answer to its method has a body
     * @return null where the server closed the connection without one
     */
    @Nullable
    Answer send(byte[] request, boolean hasBody) throws IOException {
        for (int attempt = 0; ; attempt++) {
            boolean fresh = socket == null;
            try {
                connected().getOutputStream().write(request);
                Answer answer = read(hasBody);
                if (answer.headers().getOrDefault("connection", "").equals("close")) {
                    close();
                }
                return answer;
            } catch (EOFException | java.net.SocketException closed) {
                close();
                if (fresh || attempt > 0) { // else it was closed while nobody used it
                    return null;
                }
            }
        }
    }

    private Socket connected() throws IOException {
        Socket present = socket;
        if (present == null) {
            present = new Socket(InetAddress.getLoopbackAddress(), port);
            present.setSoTimeout(PATIENCE_MILLIS);
            present.setTcpNoDelay(true);
            in = new BufferedInputStream(present.getInputStream());
            socket = present;
        }
        return present;
    }

    private Answer read(boolean hasBody) throws IOException {
        int status = Integer.parseInt(line().split(" ", 3)[1]);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        if (status < 200) {
            return read(hasBody);
        }
        if (!hasBody || status == 204 || status == 304) {
            return new Answer(status, headers, "");
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (headers.getOrDefault("transfer-encoding", "").equals("chunked")) {
            for (int size = Integer.parseInt(line(), 16); ; size = Integer.parseInt(line(), 16)) {
                body.write(in.readNBytes(size));
                line();
                if (size == 0) {
                    break;
                }
            }
        } else if (headers.containsKey("content-length")) {
            body.write(in.readNBytes(Integer.parseInt(headers.get("content-length"))));
        } else {
            in.transferTo(body);
        }
        return new Answer(status, headers, body.toString(StandardCharsets.UTF_8));
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
