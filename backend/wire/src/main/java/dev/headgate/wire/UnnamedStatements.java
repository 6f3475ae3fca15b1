package dev.headgate.wire;

/** What happens to a statement that a client prepares without a name. */
public enum UnnamedStatements {
    /** It is kept prepared on the connection if that is faster. */
    AUTO,
    /** It is forwarded unchanged. */
    OFF
}
