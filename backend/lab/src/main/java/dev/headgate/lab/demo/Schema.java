package dev.headgate.lab.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Creates one schema with its tables and rows, once, in one transaction. */
final class Schema {

    /** Creates the tables and rows; runs in a transaction. */
    @FunctionalInterface
    interface Script {
        void run(Connection connection) throws SQLException;
    }

    private Schema() {}

    /**
     * Runs the script if there is no schema of that name. Seeds the server's random numbers first, so every run generates
     * the same values.
     */
    static void ensure(Connection connection, String schema, Script script) throws SQLException {
        if (exists(connection, schema)) {
            return;
        }
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA " + schema);
            statement.execute("SELECT setseed(0.42)");
            script.run(connection);
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static boolean exists(Connection connection, String schema) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT 1 FROM pg_namespace WHERE nspname = ?")) {
            statement.setString(1, schema);
            try (ResultSet found = statement.executeQuery()) {
                return found.next();
            }
        }
    }

    static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
