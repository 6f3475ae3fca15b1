package dev.headgate.lab.script;

import dev.headgate.lab.Client;
import dev.headgate.lab.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What one arrival of a user's load does: its steps, one after another. Statements outside of a database transaction are
 * committed one by one, as pgbench does. Immutable.
 */
public final class Script implements Transaction {

    /** The most steps of a script, and characters of its text. */
    public static final int MOST_STEPS = 200;

    public static final int MOST_CHARACTERS = 64_000;

    private final List<Step> steps;
    private final Map<String, Object> constants;

    private Script(List<Step> steps, Map<String, Object> constants) {
        this.steps = List.copyOf(steps);
        this.constants = Map.copyOf(constants);
    }

    /**
     * Reads a script of pgbench: SQL statements, {@code \set} and {@code \sleep}.
     *
     * @param constants variables that are set at the beginning: {@code Long}, {@code Double} or {@code String}
     */
    public static Script ofPgbench(String text, Map<String, Object> constants) throws ScriptException {
        bounded(text.length(), 1);
        return checked(new PgbenchReader(text, constants.keySet()).steps(), constants);
    }

    /**
     * Makes a script of statements. Several statements are one database transaction.
     *
     * @param parameters expressions by their variables, computed in this order before the first statement
     * @param statements each one statement; its number in the list, from 1, counts as its line, and 0 as that of a parameter
     * @param thinkMillis the mean time of work between two statements
     */
    public static Script ofStatements(
            Map<String, String> parameters, List<String> statements, double thinkMillis, Map<String, Object> constants)
            throws ScriptException {
        Set<String> known = new HashSet<>(constants.keySet());
        List<Step> steps = new ArrayList<>();
        for (Map.Entry<String, String> each : parameters.entrySet()) {
            steps.add(assignment(each.getKey(), each.getValue(), known));
            known.add(each.getKey());
        }
        boolean together = statements.size() > 1;
        if (together) {
            steps.add(new Step.Begin(1));
        }
        for (int i = 0; i < statements.size(); i++) {
            bounded(statements.get(i).length(), i + 1);
            if (i > 0 && thinkMillis > 0) {
                steps.add(new Step.Thinking(i + 1, thinkMillis));
            }
            steps.add(statement(statements.get(i), i + 1, known));
        }
        if (together) {
            steps.add(new Step.End(statements.size(), true));
        }
        return checked(steps, constants);
    }

    private static Step assignment(String name, String expression, Set<String> known) throws ScriptException {
        try {
            return new Step.Assignment(0, name, ExpressionReader.read(expression, 0, known));
        } catch (ScriptException e) {
            throw new ScriptException(0, name + ": " + e.getMessage());
        }
    }

    private static Step statement(String text, int number, Set<String> known) throws ScriptException {
        try {
            return PgbenchReader.single(text, number, known);
        } catch (ScriptException e) {
            throw new ScriptException(number, String.valueOf(e.getMessage()));
        }
    }

    private static void bounded(int characters, int line) throws ScriptException {
        if (characters > MOST_CHARACTERS) {
            throw new ScriptException(
                    line, "it has " + characters + " characters, at most " + MOST_CHARACTERS + " are allowed");
        }
    }

    /** Computes every expression once, so that an empty range is found now and not at each arrival. */
    private static Script checked(List<Step> steps, Map<String, Object> constants) throws ScriptException {
        if (steps.size() > MOST_STEPS) {
            throw new ScriptException(
                    steps.get(MOST_STEPS).line(),
                    "it has " + steps.size() + " steps, at most " + MOST_STEPS + " are allowed");
        }
        Variables variables = new Variables(constants, new SplittableRandom(1));
        for (Step step : steps) {
            try {
                switch (step) {
                    case Step.Assignment set ->
                        variables.set(set.variable(), set.expression().value(variables));
                    case Step.Sleep sleep -> Arithmetic.number(sleep.duration().value(variables));
                    default -> {}
                }
            } catch (ArithmeticException e) {
                String of = step instanceof Step.Assignment set ? set.variable() + ": " : "";
                throw new ScriptException(step.line(), of + e.getMessage());
            }
        }
        return new Script(steps, constants);
    }

    @Override
    public void run(Connection connection, Client client) throws SQLException, InterruptedException {
        Variables variables = new Variables(constants, client.random());
        for (Step step : steps) {
            try {
                step.run(connection, variables, client);
            } catch (ArithmeticException e) {
                throw new ArithmeticException("line " + step.line() + ": " + e.getMessage());
            }
        }
    }

    /** The script itself begins and commits its database transactions; one that fails in between is rolled back. */
    @Override
    public void commit(Connection connection, Client client) throws SQLException, InterruptedException {
        try {
            run(connection, client);
        } catch (SQLException | InterruptedException | RuntimeException e) {
            try {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
            } catch (SQLException broken) {
                e.addSuppressed(broken); // the connection is of no more use, which its pool finds out by itself
            }
            throw e;
        }
    }
}
