package dev.headgate.engine;

import java.sql.Connection;

/**
 * One checkout of a connection. Ends exactly once, at the first {@link #close()}, whatever was done with the connection
 * meanwhile; later calls do nothing. Used by one thread at a time.
 */
public interface Lease extends AutoCloseable {

    /** The connection, always the same. Closing it ends the lease; after that it fails with SQLSTATE 08003. */
    Connection connection();

    /** The physical connection's id, as shown in the dashboard ("bank-31"). */
    String connectionId();

    /** How long the request waited for it. */
    long waitedNanos();

    /** Ends the lease; the connection goes back to its pool, or is closed where policy wants fewer. */
    @Override
    void close();

    /** Ends the lease and closes the connection, which is known to be unfit. */
    void discard();
}
