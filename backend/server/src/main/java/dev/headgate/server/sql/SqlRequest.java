package dev.headgate.server.sql;

import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/**
 * Statements to execute: one by {@code sql}, or several by {@code statements}.
 *
 * @param sql a single statement; its parameters are $1, $2, ...
 * @param params the parameters' values. Numbers and booleans are sent by their JSON text, objects as JSON, arrays as PostgreSQL's
 *     arrays, strings as they are
 * @param types the types of the first parameters by PostgreSQL's name ("int8"); the server infers those that are missing or null
 * @param statements several statements instead of {@code sql}, sent without waiting for each other's answers
 * @param transaction of several statements: whether they succeed or fail together. Otherwise each is for itself
 * @param timeoutMs the most time for all of them
 * @param maxRows the most rows of each answer
 * @param readOnly whether to execute them in a read-only transaction
 */
@Schema(name = "Sql")
record SqlRequest(
        @Nullable String sql,

        @ArraySchema(maxItems = 65535, schema = @Schema(implementation = Object.class)) @Nullable
        List<Parameter> params,

        @ArraySchema(maxItems = 65535) @Nullable List<@Nullable String> types,

        @ArraySchema(minItems = 1, maxItems = MOST_STATEMENTS) @Nullable
        List<StatementRequest> statements,

        @Nullable Boolean transaction,

        @Range(min = 1, max = MOST_TIME_MS) @Nullable Integer timeoutMs,

        @Range(min = 1, max = Integer.MAX_VALUE) @Nullable Integer maxRows,

        @Nullable Boolean readOnly) {

    static final int MOST_STATEMENTS = 1_000;
    static final int MOST_TIME_MS = 86_400_000;

    /** Whether a field is there that has a constraint. Most requests have none, and to find that out by a validator takes longer. */
    boolean isConstrained() {
        return timeoutMs != null || maxRows != null;
    }

    /** A text that is another one for each other request: texts have their length before them, and lists their size. */
    String canonical() {
        StringBuilder all = new StringBuilder();
        put(sql, all);
        put(params, all);
        put(types, all);
        put(statements, all);
        put(transaction, all);
        put(timeoutMs, all);
        put(maxRows, all);
        put(readOnly, all);
        return all.toString();
    }

    private static void put(@Nullable Object value, StringBuilder all) {
        switch (value) {
            case null -> all.append('-');
            case Parameter parameter -> put(parameter.text(), all);
            case StatementRequest statement -> {
                put(statement.sql(), all);
                put(statement.params(), all);
                put(statement.types(), all);
            }
            case List<?> list -> {
                all.append('[').append(list.size()).append(']');
                list.forEach(each -> put(each, all));
            }
            default -> {
                String text = value.toString();
                all.append(text.length()).append(':').append(text);
            }
        }
    }

    /** One of several statements; the fields are those of a single one. */
    @Schema(name = "SqlStatement")
    record StatementRequest(
            String sql,

            @ArraySchema(maxItems = 65535, schema = @Schema(implementation = Object.class)) @Nullable
            List<Parameter> params,

            @ArraySchema(maxItems = 65535) @Nullable List<@Nullable String> types) {}
}
