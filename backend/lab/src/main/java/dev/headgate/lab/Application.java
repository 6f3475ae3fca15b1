package dev.headgate.lab;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Everything about one workload: its tables and rows, its statements and its pace. A new workload is one class; no other
 * class knows its tables or its pace. Immutable.
 */
public interface Application {

    /** The name of the workload and of its domain. */
    String name();

    /** A short description for people. */
    String description();

    Pace pace();

    Mix mix();

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
