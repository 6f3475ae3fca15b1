package dev.headgate.lab;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A load with tables and rows of its own: everything about one demo application. A new one is one class; no other class
 * knows its tables or its pace. Immutable.
 */
public interface Application extends Load {

    /** The domain has the application's name. */
    @Override
    default String domain() {
        return name();
    }

    /** The schema of its tables. */
    String schema();

    /**
     * Creates schema and data if they do not exist, in one database transaction, so an interrupted set-up leaves nothing
     * behind. Blocks, for about a second the first time.
     *
     * @param connection with autocommit on, as it is on return
     */
    void setUp(Connection connection) throws SQLException;
}
