package dev.headgate.wire.session;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Messages as texts, for tests: a type and a body in which {@code \0} and the like stand for themselves. */
final class Messages {

    private static final int HEADER = 5;

    private Messages() {}

    static byte[] of(char type, String body) {
        byte[] message = new byte[HEADER + body.length()];
        byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
        message[0] = (byte) type;
        int length = bytes.length + 4;
        message[1] = (byte) (length >> 24);
        message[2] = (byte) (length >> 16);
        message[3] = (byte) (length >> 8);
        message[4] = (byte) length;
        System.arraycopy(bytes, 0, message, HEADER, bytes.length);
        return message;
    }

    static byte[] joined(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }

    static byte[] parse(String name, String sql) {
        return of('P', name + '\0' + sql + "\0\0\0");
    }

    static byte[] bind(String statement) {
        return of('B', '\0' + statement + "\0\0\0\0\0\0\0");
    }

    /** Asks for columns in these formats: 0 for text, 1 for binary. */
    static byte[] bind(String statement, int... formats) {
        StringBuilder body = new StringBuilder("\0" + statement + "\0\0\0\0\0\0" + (char) formats.length);
        for (int format : formats) {
            body.append('\0').append((char) format);
        }
        return of('B', body.toString());
    }

    /** Of the unnamed portal. */
    static byte[] describePortal() {
        return of('D', "P\0");
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

    static byte[] flush() {
        return of('H', "");
    }

    static byte[] query(String sql) {
        return of('Q', sql + '\0');
    }

    static byte[] terminate() {
        return of('X', "");
    }

    /** Parse, Bind and Execute of an unnamed statement, with the Sync. */
    static byte[] extended(String sql) {
        return joined(parse("", sql), bind(""), execute(), sync());
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

    /** Where the message that begins there ends; beyond the stream's end where it is cut. */
    static int end(byte[] stream, int from) {
        return stream.length - from < HEADER
                ? Integer.MAX_VALUE
                : (int) Math.min(Integer.MAX_VALUE, from + 1L + FrameReader.int32(stream, from + 1));
    }
}
