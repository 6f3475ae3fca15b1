package dev.headgate.server.problems;

import dev.headgate.engine.connect.ConnectFault;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.Set;

/** Distinguishes a control store that is unreachable, a value that it cannot hold and a race from a faulty statement. */
final class StoreFault {

    /** Classes of SQL states: no connection, no room, stopped by an operator, failed input or output. */
    private static final Set<String> AWAY = Set.of("08", "53", "57", "58");

    private StoreFault() {}

    /** Whether a value was at fault that the store cannot hold: of class 22, data exceptions. */
    static boolean isOfAValue(Throwable thrown) {
        return has(thrown, "22");
    }

    /**
     * Whether something that it refers to was deleted at the same moment, or what it deletes was referred to: a foreign key's
     * violation.
     */
    static boolean isOfAReference(Throwable thrown) {
        return has(thrown, "23503");
    }

    /** Whether it was rolled back for others that changed the same at the same moment: of class 40, such as a deadlock. */
    static boolean isOfARace(Throwable thrown) {
        return has(thrown, "40");
    }

    private static boolean has(Throwable thrown, String state) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql
                    && sql.getSQLState() != null
                    && sql.getSQLState().startsWith(state)) {
                return true;
            }
        }
        return false;
    }

    /** Why the store cannot be used, without a full stop; empty where something else is wrong. */
    static Optional<String> reason(Throwable thrown) {
        boolean isAway = false;
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                String state = sql.getSQLState();
                isAway |= sql instanceof SQLTransientConnectionException
                        || (state != null && state.length() == 5 && AWAY.contains(state.substring(0, 2)));
            }
        }
        return isAway ? Optional.of(ConnectFault.inBrief(thrown)) : Optional.empty();
    }
}
