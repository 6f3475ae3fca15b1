package dev.headgate.engine;

import dev.headgate.engine.connect.ConnectFault;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request did not get its lease. The exception carries the state that explains why. Its message says all of it in one line.
 */
public final class LeaseException extends SQLTransientConnectionException {

    private static final long serialVersionUID = 1;

    /** Why. */
    public enum Cause {
        /** Its deadline has passed. */
        TIMED_OUT("53300"),
        /** The pool is exhausted and its policies say fail. */
        FAILED("53300"),
        /** The pool is exhausted and its policies say reject. */
        REJECTED("53300"),
        /** The queue is full. */
        QUEUE_FULL("53300"),
        /** The pool is draining or closed. */
        CLOSED("57P01"),
        /** An operator ended its wait. */
        ENDED("57014"),
        /** The database's budget had no room for a connection in time. */
        BUDGET_USED_UP("53300"),
        /** The database could not be reached in time. */
        UNREACHABLE("08001"),
        /** The waiting thread was interrupted. */
        INTERRUPTED("57014");

        private final String sqlState;

        Cause(String sqlState) {
            this.sqlState = sqlState;
        }
    }

    /**
     * The state of the pool when the request failed.
     *
     * @param waitedNanos the wait at the gate and for a connection to be opened
     * @param policy the binding policy's plugin, which is the one with the rate where that alone kept the request waiting; empty if
     *     none binds
     * @param reason the binding policy's reason, or that the pool is paused, draining or being removed; empty if there is none
     * @param rate leases per second, where the rate alone kept the request waiting; infinite otherwise
     */
    public record Situation(
            String domain,
            long revision,
            int size,
            int inUse,
            int waiting,
            long waitedNanos,
            int ceiling,
            String policy,
            String reason,
            double rate) {}

    private final Cause why;
    private final transient Situation situation;

    public LeaseException(Cause why, Situation situation, @Nullable Throwable cause) {
        super(message(why, situation, cause), why.sqlState, cause);
        this.why = why;
        this.situation = situation;
    }

    public Cause why() {
        return why;
    }

    public Situation situation() {
        return situation;
    }

    private static String message(Cause why, Situation s, @Nullable Throwable cause) {
        StringBuilder message = new StringBuilder(200);
        long tenths = Math.round(s.waitedNanos() / 1e5); // a Formatter would take longer than all else of a refusal
        message.append(s.domain())
                .append(": no lease, ")
                .append(why.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .append(" after ")
                .append(tenths / 10)
                .append('.')
                .append(tenths % 10)
                .append(" ms")
                .append(" (revision ")
                .append(s.revision())
                .append(", size ")
                .append(s.size())
                .append(" of ceiling ")
                .append(s.ceiling())
                .append(", in use ")
                .append(s.inUse())
                .append(", waiting ")
                .append(s.waiting())
                .append(')');
        if (!s.reason().isEmpty()) {
            message.append("; ");
            if (!s.policy().isEmpty()) {
                message.append(s.policy()).append(": ");
            }
            message.append(s.reason());
        }
        if (cause instanceof SQLException failed) {
            message.append("; cause: ").append(ConnectFault.why(failed));
        } else if (cause != null && cause.getMessage() != null) {
            message.append("; cause: ").append(cause.getMessage());
        }
        return message.toString();
    }
}
