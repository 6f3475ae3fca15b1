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

    /** Runs it as that caller: commits it, or rolls it back and throws what it threw. */
    default void commit(Connection connection, Client client) throws SQLException, InterruptedException {
        connection.setAutoCommit(false);
        try {
            run(connection, client);
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException | InterruptedException | RuntimeException e) {
            try {
                connection.rollback();
                connection.setAutoCommit(true);
            } catch (SQLException broken) {
                e.addSuppressed(broken); // the connection is of no more use, which its pool finds out by itself
            }
            throw e;
        }
    }
}
