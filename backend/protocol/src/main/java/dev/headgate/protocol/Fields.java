package dev.headgate.protocol;

import java.nio.charset.StandardCharsets;
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
