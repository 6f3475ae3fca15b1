package dev.headgate.server.sql;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** JSON strings (RFC 8259, section 7). */
final class JsonText {

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private JsonText() {}

    static void quote(String value, StringBuilder text) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each == '"' || each == '\\') {
                text.append('\\').append(each);
            } else if (each < ' ' || isHalf(value, i)) {
                text.append("\\u").append(HexFormat.of().toHexDigits(each));
            } else {
                text.append(each);
            }
        }
        text.append('"');
    }

    /** Whether it is one half of a surrogate pair without the other: as an escape alone it is the same to whoever reads the text. */
    private static boolean isHalf(String value, int at) {
        char each = value.charAt(at);
        if (Character.isLowSurrogate(each)) {
            return at == 0 || !Character.isHighSurrogate(value.charAt(at - 1));
        }
        return Character.isHighSurrogate(each) && !Character.isSupplementaryCodePoint(value.codePointAt(at));
    }

    /** Writes a text in UTF-8 as a string. */
    static void quote(byte[] bytes, int from, int length, Sink out) {
        out.put('"');
        int plain = from;
        int to = from + length;
        for (int at = from; at < to; at++) {
            byte each = bytes[at];
            if (each == '"' || each == '\\' || (each >= 0 && each < ' ')) {
                out.write(bytes, plain, at - plain);
                plain = at + 1;
                escape(each, out);
            }
        }
        out.write(bytes, plain, to - plain);
        out.put('"');
    }

    private static void escape(byte each, Sink out) {
        out.put('\\');
        switch (each) {
            case '"', '\\' -> out.put(each);
            case '\n' -> out.put('n');
            case '\r' -> out.put('r');
            case '\t' -> out.put('t');
            default -> {
                out.put('u');
                out.put('0');
                out.put('0');
                out.put(HEX[each >> 4]);
                out.put(HEX[each & 15]);
            }
        }
    }
}
