package dev.headgate.server.store;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.stereotype.Component;

/**
 * Searches of the long logs in the control store. One may have to read every row that is kept, and the store has few connections, so
 * each ends at a deadline. Safe for any thread.
 */
@Component
public final class LogSearches {

    private static final Duration DEADLINE = Duration.ofSeconds(5);

    /** The SQL state of a statement that was cancelled. */
    private static final String CANCELLED = "57014";

    private final JdbcTemplate store;

    public LogSearches(DataSource store) {
        this.store = new JdbcTemplate(store);
        this.store.setQueryTimeout((int) DEADLINE.toSeconds());
    }

    /**
     * Searches a log. Blocks on the control store.
     *
     * @param rows what is looked for, such as "decisions"
     * @param fewer by which parameters to ask for fewer of them
     * @throws ProblemException unavailable if it does not end within 5 s
     */
    public <T> List<T> search(String rows, String fewer, LogQuery query, RowMapper<T> mapper) {
        try {
            return store.query(query.sql(), mapper, query.values());
        } catch (DataAccessException e) {
            if (isLate(e)) {
                throw ProblemException.of(
                        ProblemType.UNAVAILABLE,
                        "The " + rows + " could not be searched within " + DEADLINE.toSeconds()
                                + " s. Ask for fewer of them: " + fewer + ".");
            }
            throw e;
        }
    }

    private static boolean isLate(DataAccessException thrown) {
        return NestedExceptionUtils.getMostSpecificCause(thrown) instanceof SQLException sql
                && CANCELLED.equals(sql.getSQLState());
    }
}
