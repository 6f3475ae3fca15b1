package dev.headgate.server.sql;

import java.util.Map;

/**
 * Writes values of PostgreSQL as JSON. A number is a JSON number only where every reader of JSON reads it exactly: smallint,
 * integer and the finite floating point numbers. bigint and numeric are strings, and so is everything else but boolean, json
 * and arrays. No value changes: a string holds PostgreSQL's text.
 */
final class JsonValues {

    private static final int BOOL = 16;
    private static final int INT2 = 21;
    private static final int INT4 = 23;
    private static final int JSON = 114;
    private static final int FLOAT4 = 700;
    private static final int FLOAT8 = 701;
    private static final int JSONB = 3802;
    private static final int TEXT = 25;

    /** Array types and the types of their elements, as in PostgreSQL's pg_type.dat. Those that are text in JSON stand as text. */
    private static final Map<Integer, Integer> ELEMENTS = Map.ofEntries(
            Map.entry(1000, BOOL),
            Map.entry(1005, INT2),
            Map.entry(1007, INT4),
            Map.entry(1021, FLOAT4),
            Map.entry(1022, FLOAT8),
            Map.entry(199, JSON),
            Map.entry(3807, JSONB),
            Map.entry(1001, TEXT), // bytea
            Map.entry(1002, TEXT), // "char"
            Map.entry(1003, TEXT), // name
            Map.entry(1009, TEXT),
            Map.entry(1014, TEXT), // bpchar
            Map.entry(1015, TEXT), // varchar
            Map.entry(1016, TEXT), // int8
            Map.entry(1028, TEXT), // oid
            Map.entry(1115, TEXT), // timestamp
            Map.entry(1182, TEXT), // date
            Map.entry(1183, TEXT), // time
            Map.entry(1185, TEXT), // timestamptz
            Map.entry(1187, TEXT), // interval
            Map.entry(1231, TEXT), // numeric
            Map.entry(1270, TEXT), // timetz
            Map.entry(2951, TEXT)); // uuid

    private JsonValues() {}

    /** Whether a column of that type always holds strings in JSON. */
    static boolean isText(int type) {
        return kind(type) == TEXT && !ELEMENTS.containsKey(type);
    }

    private static int kind(int type) {
        return switch (type) {
            case BOOL, INT2, INT4, JSON, JSONB, FLOAT4, FLOAT8 -> type;
            default -> TEXT;
        };
    }

    /** Writes a value that is not NULL. */
    static void write(int type, byte[] bytes, int from, int length, Sink out) {
        Integer element = ELEMENTS.get(type);
        if (element == null) {
            scalar(kind(type), bytes, from, length, out);
        } else {
            array(element, bytes, from, from + length, out);
        }
    }

    private static void scalar(int kind, byte[] bytes, int from, int length, Sink out) {
        switch (kind) {
            case BOOL -> out.ascii(bytes[from] == 't' ? "true" : "false");
            case INT2, INT4 -> out.write(bytes, from, length);
            case FLOAT4, FLOAT8 -> {
                if (isFinite(bytes[from + length - 1])) {
                    out.write(bytes, from, length);
                    if (length == 2 && bytes[from] == '-' && bytes[from + 1] == '0') {
                        out.ascii(".0"); // -0 is an integer to many readers of JSON, and has no sign there
                    }
                } else {
                    JsonText.quote(bytes, from, length, out);
                }
            }
            case JSON, JSONB -> oneLine(bytes, from, length, out);
            default -> JsonText.quote(bytes, from, length, out);
        }
    }

    /** By the last character: NaN, Infinity and -Infinity end in a letter. */
    private static boolean isFinite(byte last) {
        return last >= '0' && last <= '9';
    }

    /** The type json keeps its white space, and a record is a line. Within strings of JSON there are no line ends. */
    private static void oneLine(byte[] bytes, int from, int length, Sink out) {
        int plain = from;
        int to = from + length;
        for (int at = from; at < to; at++) {
            if (bytes[at] == '\n' || bytes[at] == '\r') {
                out.write(bytes, plain, at - plain);
                out.put(' ');
                plain = at + 1;
            }
        }
        out.write(bytes, plain, to - plain);
    }

    /**
     * Writes an array's text as a JSON array (PostgreSQL documentation, "Array Input and Output Syntax"). Bounds before it, as in
     * [0:1]={1,2}, are left out.
     */
    private static void array(int element, byte[] bytes, int from, int to, Sink out) {
        int at = from;
        while (at < to && bytes[at] != '{') {
            at++;
        }
        while (at < to) {
            byte each = bytes[at];
            switch (each) {
                case '{' -> {
                    out.put('[');
                    at++;
                }
                case '}' -> {
                    out.put(']');
                    at++;
                }
                case ',' -> {
                    out.put(',');
                    at++;
                }
                case '"' -> at = quoted(element, bytes, at + 1, to, out);
                default -> at = plain(element, bytes, at, to, out);
            }
        }
    }

    private static int plain(int element, byte[] bytes, int from, int to, Sink out) {
        int end = from;
        while (end < to && bytes[end] != ',' && bytes[end] != '}') {
            end++;
        }
        if (isNull(bytes, from, end)) {
            out.ascii("null");
        } else {
            scalar(element, bytes, from, end - from, out);
        }
        return end;
    }

    private static boolean isNull(byte[] bytes, int from, int end) {
        return end - from == 4
                && bytes[from] == 'N'
                && bytes[from + 1] == 'U'
                && bytes[from + 2] == 'L'
                && bytes[from + 3] == 'L';
    }

    private static int quoted(int element, byte[] bytes, int from, int to, Sink out) {
        int end = from;
        int escapes = 0;
        while (end < to && bytes[end] != '"') {
            if (bytes[end] == '\\') {
                escapes++;
                end++;
            }
            end++;
        }
        if (escapes == 0) {
            scalar(element, bytes, from, end - from, out);
        } else {
            byte[] unquoted = new byte[end - from - escapes];
            int at = from;
            for (int i = 0; i < unquoted.length; i++) {
                if (bytes[at] == '\\') {
                    at++;
                }
                unquoted[i] = bytes[at++];
            }
            scalar(element, unquoted, 0, unquoted.length, out);
        }
        return end + 1;
    }
}
