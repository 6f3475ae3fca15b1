package dev.headgate.wire;

/** How long a client of the wire port keeps a connection. */
public enum PoolMode {
    /** From the first message of a transaction to its end. */
    TRANSACTION,
    /** From the first statement until the client leaves. */
    SESSION,
    /** For one statement; transactions of several are refused. */
    STATEMENT
}
