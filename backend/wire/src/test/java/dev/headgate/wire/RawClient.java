package dev.headgate.wire;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.StringPreparation;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** Speaks the protocol byte by byte, right or wrong. */
final class RawClient implements AutoCloseable {

    @SuppressWarnings("ArrayRecordComponent")
    record Message(char type, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    final Socket socket;
    final DataInputStream in;
    final DataOutputStream out;
    private final List<Integer> parameterTypes = new ArrayList<>();
    int process;
    int secret;

    RawClient(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Over a socket that is connected. */
    RawClient(Socket connected) throws IOException {
        socket = connected;
        socket.setSoTimeout(20_000);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new java.io.BufferedOutputStream(socket.getOutputStream()));
    }

    /**
     * Asks for TLS on a socket that is connected, and shakes hands.
     *
     * @param offered by ALPN
     */
    static RawClient secure(Socket connected, SSLContext trusting, String version, String... offered)
            throws IOException {
        askForTls(connected);
        return unasked(connected, trusting, version, offered);
    }

    /** Shakes hands on a socket that is connected, without asking for TLS before. */
    static RawClient unasked(Socket connected, SSLContext trusting, String version, String... offered)
            throws IOException {
        SSLSocket over =
                (SSLSocket) trusting.getSocketFactory().createSocket(connected, "localhost", connected.getPort(), true);
        over.setEnabledProtocols(new String[] {version});
        SSLParameters parameters = over.getSSLParameters();
        parameters.setApplicationProtocols(offered);
        over.setSSLParameters(parameters);
        over.startHandshake();
        return new RawClient(over);
    }

    /** What was agreed on by ALPN; empty if nothing was. */
    String agreed() {
        return ((SSLSocket) socket).getApplicationProtocol();
    }

    /** The types in the last ParameterDescription that {@link #untilReady} has read. */
    List<Integer> parameterTypes() {
        return List.copyOf(parameterTypes);
    }

    /** SSLRequest, and the answer to it. */
    static void askForTls(Socket connected) throws IOException {
        connected.setSoTimeout(20_000);
        connected.setTcpNoDelay(true);
        connected.getOutputStream().write(new byte[] {0, 0, 0, 8, 4, (byte) 210, 22, 47});
        int answer = connected.getInputStream().read();
        if (answer != 'S') {
            throw new IOException("TLS is declined: " + answer);
        }
    }

    /** Logs in without channel binding; ends after the first ReadyForQuery. */
    RawClient login(String domain) throws IOException {
        return login(domain, "SCRAM-SHA-256", "n,,");
    }

    /**
     * Logs in; ends after the first ReadyForQuery.
     *
     * @param header GS2's
     * @param binding what the login is bound to
     */
    RawClient login(String domain, String mechanism, String header, byte... binding) throws IOException {
        mechanisms(domain);
        String first = "n=,r=abcdefghijklmnop";
        byte[] initial = (header + first).getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes((mechanism + "\0").getBytes(StandardCharsets.US_ASCII));
        body.writeBytes(new byte[] {0, 0, 0, (byte) initial.length});
        body.writeBytes(initial);
        send('p', body.toByteArray());
        Message next = read();
        if (next.type != 'R') {
            throw new IOException(next.text());
        }
        String server = new String(next.body, 4, next.body.length - 4, StandardCharsets.UTF_8);
        String[] parts = server.split(",");
        ByteArrayOutputStream bound = new ByteArrayOutputStream();
        bound.writeBytes(header.getBytes(StandardCharsets.UTF_8));
        bound.writeBytes(binding);
        String withoutProof = "c=" + Base64.getEncoder().encodeToString(bound.toByteArray()) + "," + parts[0];
        String authMessage = first + "," + server + "," + withoutProof;
        ScramMechanism hashing = ScramMechanism.SCRAM_SHA_256;
        byte[] salted = ScramFunctions.saltedPassword(
                hashing,
                StringPreparation.POSTGRESQL_PREPARATION,
                Port.PASSWORD.toCharArray(),
                Base64.getDecoder().decode(parts[1].substring(2)),
                Integer.parseInt(parts[2].substring(2)));
        byte[] key = ScramFunctions.clientKey(hashing, salted);
        byte[] signature = ScramFunctions.clientSignature(hashing, ScramFunctions.storedKey(hashing, key), authMessage);
        String proof = Base64.getEncoder().encodeToString(ScramFunctions.clientProof(key, signature));
        send('p', (withoutProof + ",p=" + proof).getBytes(StandardCharsets.UTF_8));
        for (Message message = read(); message.type != 'Z'; message = read()) {
            if (message.type == 'E') {
                throw new IOException(message.text());
            }
            if (message.type == 'K') {
                process = ByteBuffer.wrap(message.body).getInt();
                secret = ByteBuffer.wrap(message.body).getInt(4);
            }
        }
        return this;
    }

    /** Sends a startup message. @return the mechanisms that are offered for the login */
    List<String> mechanisms(String domain) throws IOException {
        startup(3 << 16, "user", Port.USER, "database", domain);
        Message sasl = read();
        if (sasl.type != 'R') {
            throw new IOException("no request to log in: " + sasl.text());
        }
        return List.of(new String(sasl.body, 4, sasl.body.length - 6, StandardCharsets.US_ASCII).split("\0"));
    }

    RawClient startup(int protocol, String... parameters) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (String each : parameters) {
            body.writeBytes((each + "\0").getBytes(StandardCharsets.UTF_8));
        }
        body.write(0);
        out.writeInt(8 + body.size());
        out.writeInt(protocol);
        body.writeTo(out);
        out.flush();
        return this;
    }

    RawClient send(char type, byte... body) throws IOException {
        out.writeByte(type);
        out.writeInt(4 + body.length);
        out.write(body);
        out.flush();
        return this;
    }

    /** Leaves with what is sent next. */
    RawClient write(char type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        out.writeByte(type);
        out.writeInt(4 + body.length);
        out.write(body);
        return this;
    }

    RawClient send(char type, String body) throws IOException {
        return send(type, body.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether a message, or the end of the stream, comes within so many milliseconds. It stays to be read. */
    boolean hears(int millis) throws IOException {
        int before = socket.getSoTimeout();
        socket.setSoTimeout(millis);
        in.mark(1);
        try {
            int _ = in.read();
            in.reset();
            return true;
        } catch (SocketTimeoutException nothing) {
            return false;
        } finally {
            socket.setSoTimeout(before);
        }
    }

    /** The next message; fails at the end of the stream. */
    Message read() throws IOException {
        Message message = readOrEnd();
        if (message == null) {
            throw new java.io.EOFException();
        }
        return message;
    }

    @Nullable
    Message readOrEnd() throws IOException {
        int type = in.read();
        if (type < 0) {
            return null;
        }
        byte[] body = new byte[in.readInt() - 4];
        in.readFully(body);
        return new Message((char) type, body);
    }

    /** The types of the messages up to ReadyForQuery, and its status: "1 2 D C Z I" without the blanks. */
    String untilReady() throws IOException {
        StringBuilder types = new StringBuilder();
        for (; ; ) {
            Message message = read();
            if (message.type == 'S' || message.type == 'N') {
                continue;
            }
            types.append(message.type);
            if (message.type == 't') {
                parameterTypes.clear();
                ByteBuffer body = ByteBuffer.wrap(message.body);
                for (int left = body.getShort(); left > 0; left--) {
                    parameterTypes.add(body.getInt());
                }
            }
            if (message.type == 'Z') {
                return types.append((char) message.body[0]).toString();
            }
        }
    }

    /** Sends no more, as a client that has left; what comes can still be read. */
    void finish() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
