package dev.headgate.engine.connect;

import dev.headgate.engine.meter.Prepared;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Session state that a relay of the server's protocol has left in a connection: settings, prepared statements. */
public interface Leftovers {

    /** Restores the session to the state that JDBC knows. Blocks. */
    void remove(Connection connection) throws SQLException;

    /**
     * Called before JDBC uses the session between two leases, to test the connection: that removes the server's unnamed
     * statement. Called while nobody holds a lease of the connection, on the testing thread.
     */
    default void disturbed() {}

    /** The statements that it keeps prepared; null if it does not say. From any thread. */
    default @Nullable Prepared prepared() {
        return null;
    }
}
