package dev.headgate.wire.protocol;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What came is not the protocol, or more of it than is taken. Ends the session that sent it, and no other. */
public final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1;

    private final String sqlState;

    public ProtocolException(String sqlState, @Nullable String message) {
        super(message);
        this.sqlState = sqlState;
    }

    public ProtocolException(String message) {
        this("08P01", message);
    }

    public String sqlState() {
        return sqlState;
    }
}
