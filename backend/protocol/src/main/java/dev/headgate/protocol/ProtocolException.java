package dev.headgate.protocol;

import org.jspecify.annotations.Nullable;

/** A peer sent something that is not the protocol, or more of it than is accepted. Ends that peer's session and no other. */
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
