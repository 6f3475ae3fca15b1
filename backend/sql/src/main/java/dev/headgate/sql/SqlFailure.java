package dev.headgate.sql;

import dev.headgate.engine.LeaseException;
import dev.headgate.engine.Shortened;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A statement failed: at the server, at the gate, or on the way. */
public final class SqlFailure extends Exception {
    private static final long serialVersionUID = 1;

    /** Bytes of a field. A statement can raise an error of any length, and the rest of a longer one is not kept. */
    static final int LONGEST_FIELD = 64 * 1024;

    private static final String CUT = "...";
    private static final int ENTRY = 80;

    /** The fields by their letter, as the server sent them, at most {@value #LONGEST_FIELD} bytes of each. */
    private final transient Map<Character, String> fields;

    private final boolean own;
    private final transient @Nullable LeaseException refusal;

    private SqlFailure(Map<Character, String> fields, boolean own, @Nullable LeaseException refusal) {
        super(fields.getOrDefault('M', ""), refusal, false, false);
        this.fields = fields;
        this.own = own;
        this.refusal = refusal;
    }

    /** A failure that Headgate itself states. */
    public static SqlFailure of(String sqlState, String message) {
        return new SqlFailure(Map.of('S', "ERROR", 'V', "ERROR", 'C', sqlState, 'M', message), true, null);
    }

    /**
     * Reads an ErrorResponse.
     *
     * @param refusal the pool's, if it is the cause
     */
    static SqlFailure read(byte[] bytes, int from, int to, @Nullable LeaseException refusal) {
        Map<Character, String> fields = new LinkedHashMap<>();
        int at = from;
        while (at < to && bytes[at] != 0) {
            char letter = (char) (bytes[at++] & 0xff);
            int begin = at;
            while (at < to && bytes[at] != 0) {
                at++;
            }
            fields.put(letter, text(bytes, begin, at));
            at++;
        }
        return new SqlFailure(fields, false, refusal);
    }

    private static String text(byte[] bytes, int from, int to) {
        int end = Math.min(to, from + LONGEST_FIELD);
        while (end < to && end > from && (bytes[end] & 0xc0) == 0x80) { // not within a character
            end--;
        }
        return new String(bytes, from, end - from, StandardCharsets.UTF_8) + (end < to ? CUT : "");
    }

    /** The same with at most so many characters of each field, for those who keep it for long. */
    public SqlFailure cutTo(int most) {
        Map<Character, String> shorter = new LinkedHashMap<>(fields);
        shorter.replaceAll((_, text) -> text.length() <= most ? text : Shortened.to(most, text) + CUT);
        return new SqlFailure(shorter, own, refusal);
    }

    /** About how many bytes its fields take. */
    long size() {
        long letters = fields.values().stream().mapToLong(String::length).sum();
        return (long) ENTRY * fields.size() + 2 * letters;
    }

    public String sqlState() {
        return fields.getOrDefault('C', "XX000");
    }

    /**
     * A field of PostgreSQL's documentation, "Error and Notice Message Fields", by its letter: D detail, H hint, P position, and
     * so on. Null if it is missing.
     */
    public @Nullable String field(char letter) {
        return fields.get(letter);
    }

    /** Whether the session's own bound or deadline is the cause, and not the server. */
    public boolean isOwn() {
        return own;
    }

    /** Why the pool refused a connection; empty if the failure has another cause. */
    public Optional<LeaseException> refusal() {
        return Optional.ofNullable(refusal);
    }

    /** Whether the session ends with it. */
    boolean isLast() {
        return "FATAL".equals(fields.get('V'));
    }
}
