package dev.headgate.wire;

/** What becomes of a statement that a client prepares without a name. */
public enum UnnamedStatements {
    /** It is kept prepared on the connection, where that is faster. */
    AUTO,
    /** It is sent as it came. */
    OFF
}
