package dev.headgate.lab.script;

import dev.headgate.lab.Client;
import java.sql.Connection;
import java.sql.SQLException;

/** One step of a script. Safe for use by several threads, each with its own arguments. */
interface Step {

    /** The line of the script, from 1. */
    int line();

    void run(Connection connection, Variables variables, Client client) throws SQLException, InterruptedException;

    /** Computes a variable. */
    record Assignment(int line, String variable, Expression expression) implements Step {
        @Override
        public void run(Connection connection, Variables variables, Client client) {
            variables.set(variable, expression.value(variables));
        }
    }

    /** Pauses for so many times a unit. */
    record Sleep(int line, Expression duration, long unitNanos) implements Step {

        private static final long LONGEST_NANOS = 3_600_000_000_000L;

        @Override
        public void run(Connection connection, Variables variables, Client client) throws InterruptedException {
            double nanos = Arithmetic.number(duration.value(variables)) * unitNanos;
            client.pause((long) Math.clamp(nanos, 0, LONGEST_NANOS));
        }
    }

    /** Works for a time drawn from an exponential distribution. */
    record Thinking(int line, double meanMillis) implements Step {
        @Override
        public void run(Connection connection, Variables variables, Client client) throws InterruptedException {
            client.work(meanMillis);
        }
    }

    /** Begins a database transaction; the server gets its BEGIN with the next statement. */
    record Begin(int line) implements Step {
        @Override
        public void run(Connection connection, Variables variables, Client client) throws SQLException {
            connection.setAutoCommit(false);
        }
    }

    /** Ends a database transaction. */
    record End(int line, boolean commit) implements Step {
        @Override
        public void run(Connection connection, Variables variables, Client client) throws SQLException {
            if (commit) {
                connection.commit();
            } else {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }
}
