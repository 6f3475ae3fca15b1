package dev.headgate.protocol;

import org.jspecify.annotations.Nullable;

/** A peer violated the protocol or exceeded a limit. Ends only that peer's session. */
public final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1;

    private final String sqlState;

    public ProtocolException(String sqlState, @Nullable String message) {
        super(message);
        this.sqlState = sqlState;
    }

    /** A protocol violation (08P01). */
    public ProtocolException(String message) {
        this("08P01", message);
    }

    public String sqlState() {
        return sqlState;
    }
}
