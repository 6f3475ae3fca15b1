package dev.headgate.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement with its parameters.
 *
 * @param sql a single statement; parameters are $1, $2, ...
 * @param parameters their values as PostgreSQL's texts; null for NULL
 * @param types the types of the first parameters as object ids; 0 or a missing one leaves it to the server
 * @param mostRows the most rows of its answer; 0 for no limit
 */
public record Query(String sql, List<@Nullable String> parameters, List<Integer> types, int mostRows) {

    /** The most parameters of a statement: the protocol counts them in 16 bits. */
    public static final int MOST_PARAMETERS = 65_535;

    public Query {
        if (parameters.size() > MOST_PARAMETERS || types.size() > MOST_PARAMETERS) {
            throw new IllegalArgumentException("a statement has at most " + MOST_PARAMETERS + " parameters");
        }
        if (mostRows < 0) {
            throw new IllegalArgumentException("mostRows must not be negative, was " + mostRows);
        }
        if (sql.indexOf('\0') >= 0
                || parameters.stream().anyMatch(value -> value != null && value.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("PostgreSQL's texts have no zero character");
        }
        parameters = java.util.Collections.unmodifiableList(new java.util.ArrayList<>(parameters));
        types = List.copyOf(types);
    }

    /** A statement whose parameters' types the server infers. */
    public static Query of(String sql, @Nullable String... parameters) {
        return new Query(sql, java.util.Arrays.asList(parameters), List.of(), 0);
    }
}
