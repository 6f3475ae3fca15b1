package dev.headgate.engine;

import dev.headgate.engine.meter.Holder;
import java.sql.Connection;

/**
 * One checkout of a connection. The first {@link #close()} ends it, whatever was done with the connection; later calls do
 * nothing. Used by one thread at a time.
 */
public interface Lease extends AutoCloseable, Holder {

    /** The connection, always the same one. Closing it ends the lease. After that its use fails with SQLSTATE 08003. */
    Connection connection();

    /** The physical connection's id, as shown in the dashboard ("bank-31"). */
    String connectionId();

    /** How long the request waited for it. */
    long waitedNanos();

    /** As its request said. */
    @Override
    String holder();

    /**
     * Notes the text that is about to be executed, so that an operator can be shown its fingerprint. By the holder.
     *
     * @param sql with its literals, which are not shown
     */
    default void executes(String sql) {}

    /** Whether the lease has ended, by any caller. From any thread. */
    boolean hasEnded();

    /** Ends the lease. The connection returns to its pool, or is closed if policy wants fewer. */
    @Override
    void close();

    /** Ends the lease and closes the connection. For a connection that is known to be broken. */
    void discard();
}
