package dev.headgate.engine;

/** What the end of a lease does with what a JDBC caller has left in the connection's session. A relay takes care itself. */
public enum SessionReset {
    /**
     * Rolls back an open transaction; where the caller may have set more than JDBC's own properties (a role, settings,
     * temporary tables, locks, LISTEN), also sends DISCARD ALL. A lease that left nothing sends nothing.
     */
    WHEN_DIRTY,

    /** As other pools do: JDBC's own properties are put back, and the next borrower finds the rest. */
    NEVER
}
