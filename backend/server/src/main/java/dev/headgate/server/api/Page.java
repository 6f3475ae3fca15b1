package dev.headgate.server.api;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list, in its order.
 *
 * @param nextCursor the start of the next page; null on the last
 */
public record Page<T>(List<T> items, @Nullable String nextCursor) {

    /** The default for the most entries of a page. */
    public static final String LIMIT = "100";

    /** The same for the logs, whose entries are larger. */
    public static final String LOG_LIMIT = "50";

    /** The most entries that a request may ask for. */
    public static final int MOST = 500;

    /** The same page with mapped entries. */
    public <R> Page<R> map(Function<T, R> shown) {
        return new Page<>(items.stream().map(shown).toList(), nextCursor);
    }
}
