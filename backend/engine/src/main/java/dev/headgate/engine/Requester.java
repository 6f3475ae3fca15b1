package dev.headgate.engine;

/**
 * A program that asks for leases from outside this process. It is asked for its facts when somebody looks, by any thread; the way to a
 * lease only carries the reference. Nothing here blocks.
 */
public interface Requester {

    /** The way that callers come. */
    enum Kind {
        /** Over PostgreSQL's protocol. */
        WIRE,
        /** SQL over HTTP. */
        SQL,
        /** Code in this process. */
        JDBC
    }

    Kind kind();

    /** As it has logged in. */
    String user();

    /** Its application_name; may be empty. */
    String application();

    /** Where it connects from ("10.0.4.7:50432"); may be empty. */
    String address();

    /** Which transaction over several requests it is, as a short name; empty if it is none. */
    String transaction();

    /** Asks PostgreSQL to cancel what runs on a lease of this requester. Does nothing if the lease has ended or nothing runs. */
    void cancel(Lease lease);

    /**
     * Ends a lease of this requester: cancels what runs, closes the connection, and tells the program why. Does nothing if the lease
     * has ended.
     */
    void end(Lease lease, String why);
}
