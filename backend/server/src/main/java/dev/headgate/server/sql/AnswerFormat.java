package dev.headgate.server.sql;

import dev.headgate.sql.Column;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How an answer is written. The methods are called in the order of the answer. */
interface AnswerFormat extends AutoCloseable {

    /**
     * The end of an answer.
     *
     * @param rows of all statements
     * @param connection the id of the last connection; empty if there was none
     */
    record Ending(long rows, double elapsedMs, double waitedMs, String connection) {}

    /** The columns of the statement's rows. */
    void columns(int statement, List<Column> columns);

    void rows(Rows rows);

    /** @param tag the server's command tag */
    void done(int statement, String tag, long rows, boolean limited);

    /**
     * A statement failed. It is the last record if everything ends with it.
     *
     * @param statement null if it is none's own, such as a failure at the commit
     * @return whether the answer tells it; if not, it must break off
     */
    boolean failed(@Nullable Integer statement, SqlFailure why);

    void end(Ending ending);

    /** Gives back what it holds, at the end or when the answer broke off. */
    @Override
    default void close() {
        // most hold nothing
    }
}
