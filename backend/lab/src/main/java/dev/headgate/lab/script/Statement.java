package dev.headgate.lab.script;

import dev.headgate.engine.meter.AnswerBound;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A statement with bound parameters. Like {@code pgbench -M prepared} it sends them as text without a type, so that the server
 * takes the type that the statement needs there.
 *
 * @param sql with {@code ?} for each parameter
 * @param parameters the variables, in the order of their places
 */
record Statement(int line, String sql, List<String> parameters) implements Step {

    /** The most rows of a result that are read. The driver holds all of them in memory. */
    static final int MOST_ROWS = 10_000;

    /** The most bytes of an answer. They are held for each connection that the load has. */
    static final long MOST_BYTES = 1 << 20;

    Statement {
        parameters = List.copyOf(parameters);
    }

    /**
     * Replaces each {@code :name} outside of literals, quoted names and comments.
     *
     * @param text one statement, without its semicolon
     * @param known the variables that are set before it
     */
    static Statement read(String text, int line, Set<String> known) throws ScriptException {
        StringBuilder sql = new StringBuilder();
        List<String> parameters = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = Lexemes.end(text, at, line);
            char here = text.charAt(at);
            if (end > at) {
                sql.append(text, at, end);
                at = end;
            } else if (here == ':' && text.startsWith("::", at)) {
                sql.append("::");
                at += 2;
            } else if (here == ':' && at + 1 < text.length() && ExpressionReader.isLetter(text.charAt(at + 1))) {
                end = Lexemes.endOfName(text, at + 1);
                String name = text.substring(at + 1, end);
                if (!known.contains(name)) {
                    throw unknown(line + Lexemes.lines(text, at), name);
                }
                parameters.add(name);
                sql.append('?');
                at = end;
            } else {
                sql.append(here == '?' ? "??" : String.valueOf(here)); // an operator such as ?| is doubled for JDBC
                at++;
            }
        }
        return new Statement(line, sql.toString(), parameters);
    }

    static ScriptException unknown(int line, String name) {
        return new ScriptException(line, "the variable :" + name + " is not set before it is used");
    }

    @Override
    public void run(Connection connection, Variables variables, dev.headgate.lab.Client client) throws SQLException {
        try {
            int _ = ScopedValue.where(AnswerBound.MOST_BYTES, MOST_BYTES).call(() -> rows(connection, variables));
        } catch (SQLException e) {
            AnswerBound.TooLongException tooLong = AnswerBound.TooLongException.in(e);
            throw tooLong == null
                    ? e
                    : new SQLException("line " + line + ": " + tooLong.getMessage(), e.getSQLState(), e);
        }
    }

    /** Executes it. Returns how many rows of its first result were read. */
    private int rows(Connection connection, Variables variables) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setObject(i + 1, Arithmetic.text(variables.get(parameters.get(i))), Types.OTHER);
            }
            statement.setMaxRows(MOST_ROWS);
            int count = 0;
            if (statement.execute()) {
                try (ResultSet rows = statement.getResultSet()) {
                    while (rows.next()) {
                        count++;
                    }
                }
            }
            return count;
        }
    }
}
