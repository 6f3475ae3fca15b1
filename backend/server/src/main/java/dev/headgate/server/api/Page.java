package dev.headgate.server.api;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Some entries of a list, in its order.
 *
 * @param nextCursor where the next page begins; null on the last
 */
public record Page<T>(List<T> items, @Nullable String nextCursor) {

    /** How many entries a page has at most where the request does not say. */
    public static final String LIMIT = "100";

    /** The same for the logs, whose entries are larger. */
    public static final String LOG_LIMIT = "50";

    /** How many entries a request may ask for. */
    public static final int MOST = 500;

    /** The same page, with something else for each entry. Nothing is made for entries of other pages. */
    public <R> Page<R> map(Function<T, R> shown) {
        return new Page<>(items.stream().map(shown).toList(), nextCursor);
    }
}
