package dev.headgate.sql;

import dev.headgate.engine.LeaseException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A statement failed: at the server, at the gate, or on the way. */
public final class SqlFailure extends Exception {
    private static final long serialVersionUID = 1;

    /** The fields by their letter, as the server sent them. */
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
            fields.put(letter, new String(bytes, begin, at - begin, StandardCharsets.UTF_8));
            at++;
        }
        return new SqlFailure(fields, false, refusal);
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
