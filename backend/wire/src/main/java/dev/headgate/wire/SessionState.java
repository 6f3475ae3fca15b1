package dev.headgate.wire;

/** What becomes of a statement whose effect belongs to a connection, where connections are shared by transactions. */
public enum SessionState {
    /** The client keeps its connection from then on, and a notice tells it so. */
    PIN,
    /** The statement fails (0A000). */
    REFUSE
}
