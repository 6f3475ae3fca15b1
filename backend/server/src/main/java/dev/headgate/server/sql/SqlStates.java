package dev.headgate.server.sql;

import dev.headgate.engine.LeaseException;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.SqlErrorJson;
import dev.headgate.sql.SqlFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a failure of a statement is over HTTP. The statuses by SQLSTATE are those of PostgREST (documentation, "Errors"), with
 * five exceptions: a deadline of ours is 504, an answer beyond a bound of ours is 413, a wrong number of parameters (08P01) is 400, as
 * is the object id of a type that is not there (XX000), and a server that has crashed or does not accept connections yet (57P02, 57P03)
 * is 503 as one that shuts down (57P01) is.
 */
final class SqlStates {

    /** PostgreSQL has no state of its own for an object id that is no type's. It does not translate this message. */
    private static final String NO_TYPE = "cache lookup failed for type ";

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int LONGEST_RETRY_SECONDS = 3_600;

    private SqlStates() {}

    static SqlErrorJson json(SqlFailure failure) {
        return new SqlErrorJson(
                failure.sqlState(),
                String.valueOf(failure.getMessage()),
                failure.field('D'),
                failure.field('H'),
                position(failure.field('P')),
                failure.field('W'),
                failure.field('s'),
                failure.field('t'),
                failure.field('c'),
                failure.field('d'),
                failure.field('n'));
    }

    /** Null for what is no place in a text: nobody knows what speaks on the other side. */
    private static @Nullable Integer position(@Nullable String text) {
        return text != null && text.matches("[0-9]{1,9}") ? Integer.valueOf(text) : null;
    }

    /**
     * Whether a failure is the server's word on its statement. Otherwise nobody knows what became of it: the connection or the server
     * went away, or a bound or deadline of ours ended the session.
     */
    static boolean isOfServer(SqlFailure failure) {
        String state = failure.sqlState();
        return !failure.isOwn() && !state.startsWith("08") && !state.startsWith("57P");
    }

    /** The problem that answers a request whose statement failed. */
    static ProblemException problem(SqlFailure failure) {
        @Nullable LeaseException refusal = failure.refusal().orElse(null);
        if (refusal != null) {
            return refused(refusal);
        }
        ProblemType type = type(failure);
        return ProblemException.sql(type, json(failure), type == ProblemType.SQL_UNAVAILABLE ? RETRY : null);
    }

    static ProblemException refused(LeaseException refusal) {
        String detail = String.valueOf(refusal.getMessage());
        return switch (refusal.why()) {
            case UNREACHABLE, CLOSED, INTERRUPTED -> ProblemException.retry(ProblemType.UNAVAILABLE, detail, RETRY);
            default ->
                Double.isInfinite(refusal.situation().rate())
                        ? ProblemException.retry(ProblemType.EXHAUSTED, detail, RETRY)
                        : ProblemException.retry(ProblemType.TOO_MANY_REQUESTS, detail, turn(refusal.situation()));
        };
    }

    /** How long the rate takes to let those pass who wait, and one more. */
    private static Duration turn(LeaseException.Situation paced) {
        double seconds = Math.ceil((paced.waiting() + 1) / paced.rate());
        return Duration.ofSeconds((long) Math.clamp(seconds, 1, LONGEST_RETRY_SECONDS));
    }

    static ProblemType type(SqlFailure failure) {
        String state = failure.sqlState();
        if (failure.isOwn() && state.equals("57014")) {
            return ProblemType.SQL_TIMED_OUT;
        }
        if (failure.isOwn() && state.equals("54000")) {
            return ProblemType.SQL_TOO_LARGE;
        }
        if (state.equals("XX000") && String.valueOf(failure.getMessage()).startsWith(NO_TYPE)) {
            return ProblemType.SQL_WRONG;
        }
        return switch (state) {
            case "23503", "23505" -> ProblemType.SQL_CONFLICT;
            case "25006" -> ProblemType.SQL_READ_ONLY;
            case "21000", "42P17", "53400" -> ProblemType.SQL_BROKEN;
            case "57P01", "57P02", "57P03" -> ProblemType.SQL_UNAVAILABLE;
            case "42883", "42P01" -> ProblemType.SQL_MISSING;
            case "42501" -> ProblemType.SQL_FORBIDDEN;
            case "08P01", "P0001" -> ProblemType.SQL_WRONG;
            default -> byClass(state.length() < 2 ? "XX" : state.substring(0, 2));
        };
    }

    private static ProblemType byClass(String of) {
        return switch (of) {
            case "08", "53" -> ProblemType.SQL_UNAVAILABLE;
            case "0L", "0P", "28" -> ProblemType.SQL_FORBIDDEN;
            case "09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX" ->
                ProblemType.SQL_BROKEN;
            default -> ProblemType.SQL_WRONG;
        };
    }
}
