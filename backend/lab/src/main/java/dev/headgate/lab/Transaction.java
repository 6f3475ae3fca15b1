package dev.headgate.lab;

import java.sql.Connection;
import java.sql.SQLException;

/** What one arrival does with its connection. Safe for use by several threads, each with its own arguments. */
@FunctionalInterface
public interface Transaction {

    /**
     * Runs inside a database transaction. The caller turns auto-commit off before, commits after a return and rolls back
     * after an exception. Blocks.
     */
    void run(Connection connection, Client client) throws SQLException, InterruptedException;
}
