package dev.headgate.engine;

/** What the end of a lease does with the session state that a JDBC caller has left. A relay restores the state itself. */
public enum SessionReset {
    /**
     * Rolls back an open transaction. Also sends DISCARD ALL if the caller may have changed more than JDBC's own properties (a
     * role, settings, temporary tables, locks, LISTEN). Sends nothing if the lease left nothing.
     */
    WHEN_DIRTY,

    /** Restores only JDBC's own properties, as other pools do. The next holder finds the rest. */
    NEVER
}
