package dev.headgate.server.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query of a long log by what a caller asks for. A condition that is not asked for is left out, so that the others have the index
 * that is made for them.
 */
public final class LogQuery {

    private final StringBuilder sql;
    private final List<Object> values = new ArrayList<>();

    /** @param select up to the name of the log's table */
    public LogQuery(String select) {
        sql = new StringBuilder(select).append(" where true");
    }

    /**
     * Adds a condition.
     *
     * @param condition with a question mark for each value
     * @param asked its values; all null if it is not asked for
     */
    public LogQuery where(String condition, @Nullable Object... asked) {
        List<Object> some = new ArrayList<>();
        for (Object value : asked) {
            if (value != null) {
                some.add(value);
            }
        }
        if (!some.isEmpty()) {
            sql.append(" and ").append(condition);
            values.addAll(some);
        }
        return this;
    }

    /** The first rows in an order, such as "id desc". */
    public LogQuery first(int most, String order) {
        sql.append(" order by ").append(order).append(" limit ").append(most);
        return this;
    }

    String sql() {
        return sql.toString();
    }

    Object[] values() {
        return values.toArray();
    }
}
