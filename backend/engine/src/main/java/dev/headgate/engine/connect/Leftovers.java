package dev.headgate.engine.connect;

import java.sql.Connection;
import java.sql.SQLException;

/** What a relay of the server's protocol has left in a connection's session: settings, prepared statements. */
public interface Leftovers {

    /** Puts the session back to what JDBC knows of it. Blocks. */
    void remove(Connection connection) throws SQLException;

    /**
     * JDBC is about to use the session between two leases, to see whether it works: the server's unnamed statement is gone
     * after that. Called while nobody has a lease of the connection, on the thread that asks.
     */
    default void disturbed() {}
}
