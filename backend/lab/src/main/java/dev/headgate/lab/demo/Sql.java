package dev.headgate.lab.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Statements as the demo's transactions write them: text and values in one line. */
final class Sql {

    private Sql() {}

    /** Runs a statement that returns no rows; returns how many rows it changed. */
    static int update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** Runs a query and reads all of its rows; returns the first row's first column, or 0 where there is no row. */
    static long query(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, values);
                ResultSet rows = statement.executeQuery()) {
            long first = rows.next() ? rows.getLong(1) : 0;
            while (rows.next()) {
                rows.getObject(1);
            }
            return first;
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
