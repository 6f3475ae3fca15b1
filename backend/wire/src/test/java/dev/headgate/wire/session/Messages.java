package dev.headgate.wire.session;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Messages as texts, for tests: a type and a body in which {@code \0} and the like stand for themselves. */
final class Messages {

    private Messages() {}

    static byte[] of(char type, String body) {
        FrameWriter out = new FrameWriter(new Buffers());
        out.message(type, body.getBytes(StandardCharsets.ISO_8859_1));
        return out.bytes();
    }

    static byte[] joined(byte[]... parts) {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    static byte[] parse(String name, String sql) {
        return of('P', name + '\0' + sql + "\0\0\0");
    }

    static byte[] bind(String statement) {
        return of('B', '\0' + statement + "\0\0\0\0\0\0\0");
    }

    static byte[] describe(String statement) {
        return of('D', 'S' + statement + '\0');
    }

    static byte[] execute() {
        return of('E', "\0\0\0\0\0");
    }

    static byte[] sync() {
        return of('S', "");
    }

    static byte[] query(String sql) {
        return of('Q', sql + '\0');
    }

    /** The messages of a stream, "Z:I" for a type and its body without its zero bytes; the last one may be cut. */
    static List<String> read(byte[] stream) throws ProtocolException {
        FrameReader in = new FrameReader();
        in.feed(stream, 0, stream.length);
        List<String> all = new ArrayList<>();
        while (in.next()) {
            String body = new String(in.peek(in.length()), StandardCharsets.ISO_8859_1);
            all.add(in.type() + ":"
                    + body.replace('\0', '.').replaceAll(" {5,}", " _ ").replaceAll("y{9,}", "yy"));
            in.close();
        }
        return all;
    }
}
