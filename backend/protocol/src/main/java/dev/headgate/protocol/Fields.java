package dev.headgate.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** ErrorResponse and NoticeResponse: fields of one letter and a text (PostgreSQL documentation, "Error and Notice Message Fields"). */
public final class Fields {

    private Fields() {}

    /** @param detail empty for none */
    public static void error(FrameWriter out, String severity, String state, @Nullable String message, String detail) {
        write(out, 'E', severity, state, message == null ? "" : message, detail);
    }

    public static void notice(FrameWriter out, String message, String detail) {
        write(out, 'N', "NOTICE", "00000", message, detail);
    }

    private static void write(
            FrameWriter out, char type, String severity, String state, String message, String detail) {
        String[] fields = detail.isEmpty()
                ? new String[] {"S" + severity, "V" + severity, "C" + state, "M" + message}
                : new String[] {"S" + severity, "V" + severity, "C" + state, "M" + message, "D" + detail};
        int length = 1;
        for (String field : fields) {
            length += FrameWriter.sizeOf(field);
        }
        out.header(type, length);
        for (String field : fields) {
            out.cString(field);
        }
        out.put(0);
    }

    /**
     * The content of a server's ErrorResponse. A missing field, which CVE-2026-6666 showed to be possible, is empty.
     *
     * @param severity not translated: ERROR, FATAL, PANIC
     * @param routine the function of the server's source that raised it; the same in every language
     */
    public record Failure(String severity, String state, String message, String routine) {

        /** Whether the server ends the connection with it. */
        public boolean isLast() {
            return severity.equals("FATAL") || severity.equals("PANIC");
        }
    }

    /**
     * An ErrorResponse whose primary message has another name in place of one, wherever that stands in it: the message may be in any
     * language. The rest stays as it is.
     *
     * @param from where its complete body begins
     * @param name ends with a digit; a longer number is another name
     * @return its new body; null if its message does not have the name
     */
    public static byte @Nullable [] renamed(byte[] bytes, int from, int to, String name, String instead) {
        byte[] sought = name.getBytes(StandardCharsets.UTF_8);
        int at = from;
        while (at < to && bytes[at] != 0) {
            int begin = at;
            while (at < to && bytes[at] != 0) {
                at++;
            }
            if (bytes[begin] == 'M') {
                int found = indexOf(sought, bytes, begin + 1, at);
                return found < 0 ? null : replaced(bytes, from, found, found + sought.length, to, instead);
            }
            at++;
        }
        return null;
    }

    private static int indexOf(byte[] name, byte[] bytes, int from, int to) {
        for (int at = from; at + name.length <= to; at++) {
            int end = at + name.length;
            boolean goesOn = end < to && bytes[end] >= '0' && bytes[end] <= '9';
            if (!goesOn && Arrays.equals(bytes, at, end, name, 0, name.length)) {
                return at;
            }
        }
        return -1;
    }

    private static byte[] replaced(byte[] bytes, int from, int begin, int end, int to, String instead) {
        byte[] other = instead.getBytes(StandardCharsets.UTF_8);
        byte[] all = new byte[begin - from + other.length + to - end];
        System.arraycopy(bytes, from, all, 0, begin - from);
        System.arraycopy(other, 0, all, begin - from, other.length);
        System.arraycopy(bytes, end, all, begin - from + other.length, to - end);
        return all;
    }

    /** Reads the fields that are complete. */
    public static Failure failure(byte[] bytes, int from, int to) {
        String severity = "";
        String state = "XX000";
        String message = "";
        String routine = "";
        int at = from;
        while (at < to && bytes[at] != 0) {
            char field = (char) bytes[at++];
            int begin = at;
            while (at < to && bytes[at] != 0) {
                at++;
            }
            if (field == 'V' || field == 'C' || field == 'M' || field == 'R') {
                String text = new String(bytes, begin, at - begin, StandardCharsets.UTF_8);
                switch (field) {
                    case 'V' -> severity = text;
                    case 'C' -> state = text;
                    case 'M' -> message = text;
                    default -> routine = text;
                }
            }
            at++;
        }
        return new Failure(severity, state, message, routine);
    }
}
