package dev.headgate.engine.connect;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Puts into words why no connection could be opened. */
public final class ConnectFault {

    private ConnectFault() {}

    /**
     * The driver's message, and what it is silent about: of a host that there is not and of a server that does not answer it says alike
     * that "the connection attempt failed".
     */
    public static String why(SQLException fault) {
        String message = String.valueOf(fault.getMessage());
        Throwable root = fault;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String said = said(root);
        // the driver's message of a refused connect says it already
        boolean isSaid = said == null || root instanceof ConnectException || message.contains(said);
        return isSaid ? message : message + " (" + said + ")";
    }

    /** The first line of what the driver said at the bottom of a failure, without a full stop; the failure's own message without one. */
    public static String inBrief(Throwable failed) {
        String why = String.valueOf(failed.getMessage());
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                why = why(sql).lines().findFirst().orElse("");
            }
        }
        return why.replaceFirst("\\.$", "");
    }

    /** What the cause of a failure to connect says; null if nothing. The name of a host alone says nothing to anybody. */
    public static @Nullable String said(Throwable root) {
        return root instanceof UnknownHostException
                ? "there is no host of the name " + root.getMessage()
                : root.getMessage();
    }
}
