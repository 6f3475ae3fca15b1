package dev.headgate.lab.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Short forms of JDBC for a workload's transactions: text and values in one line. */
public final class Sql {

    private Sql() {}

    /** Runs a statement without a result. Returns the number of changed rows. */
    public static int update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** Runs a query and reads all its rows. Returns the first column of the first row, or 0 without a row. */
    public static long query(Connection connection, String sql, Object... values) throws SQLException {
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
