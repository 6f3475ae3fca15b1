package dev.headgate.wire;

/** What happens to a statement whose effect belongs to a connection, if transactions share connections. */
public enum SessionState {
    /** The client keeps its connection from then on, and gets a notice. */
    PIN,
    /** The statement fails (0A000). */
    REFUSE
}
