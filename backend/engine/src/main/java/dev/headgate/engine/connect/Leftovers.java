package dev.headgate.engine.connect;

import java.sql.Connection;
import java.sql.SQLException;

/** What a relay of the server's protocol has left in a connection's session: settings, prepared statements. */
public interface Leftovers {

    /** Puts the session back to what JDBC knows of it. Blocks. */
    void remove(Connection connection) throws SQLException;
}
