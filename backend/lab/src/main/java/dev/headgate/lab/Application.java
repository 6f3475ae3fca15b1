package dev.headgate.lab;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * All that makes a workload: its tables and their rows, its statements and how its arrivals come. Whoever adds one writes
 * one class; nothing else knows its tables or its pace. Immutable.
 */
public interface Application {

    /** The workload's name, and its domain's. */
    String name();

    /** For people, in a few words. */
    String description();

    Pace pace();

    Mix mix();

    /** The schema that its tables are in. */
    String schema();

    /**
     * Makes schema and data where they are not there yet, in one database transaction: a set-up that was cut off left
     * nothing behind. Blocks, for about a second the first time.
     *
     * @param connection with autocommit on, as it is on return
     */
    void setUp(Connection connection) throws SQLException;
}
