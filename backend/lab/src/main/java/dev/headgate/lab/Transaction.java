package dev.headgate.lab;

import java.sql.Connection;
import java.sql.SQLException;

/** What one arrival does with its connection. Safe for use by any number of threads, each with its own arguments. */
@FunctionalInterface
public interface Transaction {

    /**
     * Runs inside a database transaction: the caller has turned autocommit off, commits after a return, and rolls back
     * after an exception. Blocks.
     */
    void run(Connection connection, Client client) throws SQLException, InterruptedException;
}
