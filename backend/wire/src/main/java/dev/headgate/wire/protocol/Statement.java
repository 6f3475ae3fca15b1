package dev.headgate.wire.protocol;

import java.nio.charset.StandardCharsets;

/**
 * A prepared statement as a client asked for it: everything of its Parse message but the name. Two that are equal can
 * share one on the server.
 *
 * @param tail query and parameter types as they came, one char for a byte
 * @param generation how often the schema was seen to change before: the same text may be another statement afterwards
 */
public record Statement(String tail, long generation) {

    public static Statement of(byte[] parse, int from, long generation) {
        return new Statement(new String(parse, from, parse.length - from, StandardCharsets.ISO_8859_1), generation);
    }

    public byte[] bytes() {
        return tail.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The query's text; what is not ASCII in it may be wrong. */
    public String sql() {
        return tail.substring(0, Math.max(0, tail.indexOf('\0')));
    }
}
