package dev.headgate.wire;

import dev.headgate.wire.protocol.FrameReader;
import dev.headgate.wire.protocol.ProtocolException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * How a connection begins: perhaps a wish for encryption, then a startup message or a cancel request. Read byte for byte
 * as it is needed, so that nothing that came in plain text can pass for what was said under TLS.
 *
 * @param socket to go on with; a TLS one where TLS was agreed on
 * @param parameters of the startup message
 * @param minor the protocol's minor version that was asked for
 * @param unknownOptions the protocol's options that were asked for; none is known
 * @param cancels process id and secret where this is a cancel request
 */
record Greeting(
        Socket socket, Map<String, String> parameters, int minor, List<String> unknownOptions, Optional<Key> cancels) {

    String user() {
        return parameters.getOrDefault("user", "");
    }

    /** The domain, or the console. */
    String database() {
        return parameters.getOrDefault("database", user());
    }

    /** What a client shows to cancel another one's request. */
    record Key(int process, int secret) {}

    private static final int MOST_BYTES = 10_000;
    private static final int CANCEL = 80877102;
    private static final int SSL = 80877103;
    private static final int GSS = 80877104;

    static Greeting read(Socket plain, Optional<SSLContext> tls) throws IOException {
        Socket socket = plain;
        boolean encrypted = false;
        for (int asked = 0; asked < 3; asked++) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int length = in.readInt();
            if (length < 8 || length > MOST_BYTES) {
                throw new ProtocolException("a startup message has 8 to " + MOST_BYTES + " bytes, not " + length);
            }
            int code = in.readInt();
            byte[] body = in.readNBytes(length - 8);
            if (body.length < length - 8) {
                throw new ProtocolException("the startup message is not whole");
            }
            if (code == SSL && tls.isPresent() && !encrypted) {
                answer(socket, 'S');
                SSLSocket secure = (SSLSocket) tls.get()
                        .getSocketFactory()
                        .createSocket(plain, plain.getInetAddress().getHostAddress(), plain.getPort(), true);
                secure.setUseClientMode(false);
                secure.startHandshake();
                socket = secure;
                encrypted = true;
            } else if (code == SSL || code == GSS) {
                answer(socket, 'N');
            } else if (code == CANCEL) {
                if (body.length != 8) {
                    throw new ProtocolException("a cancel request has a process id and a secret");
                }
                Key key = new Key(FrameReader.int32(body, 0), FrameReader.int32(body, 4));
                return new Greeting(socket, Map.of(), 0, List.of(), Optional.of(key));
            } else if (code >>> 16 == 3) {
                return startup(socket, code & 0xffff, body);
            } else {
                throw new ProtocolException(
                        "0A000", "protocol " + (code >>> 16) + "." + (code & 0xffff) + " is not spoken here; 3.0 is");
            }
        }
        throw new ProtocolException("encryption was asked for again and again");
    }

    private static Greeting startup(Socket socket, int minor, byte[] body) throws ProtocolException {
        Map<String, String> parameters = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        int at = 0;
        while (at < body.length && body[at] != 0) {
            String name = FrameReader.cString(body, at);
            at = FrameReader.after(body, at);
            String value = FrameReader.cString(body, at);
            at = FrameReader.after(body, at);
            if (name.startsWith("_pq_.")) {
                unknown.add(name);
            } else {
                parameters.put(name, value);
            }
        }
        return new Greeting(socket, parameters, minor, unknown, Optional.empty());
    }

    private static void answer(Socket socket, char yesOrNo) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeByte(yesOrNo);
        out.flush();
    }
}
