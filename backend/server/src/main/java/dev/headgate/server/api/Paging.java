package dev.headgate.server.api;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The page of a list that a request asks for: at most {@code limit} entries after a place. A place is the key of an entry, never a
 * number of entries, so entries that are added or removed meanwhile neither repeat nor hide others.
 *
 * @param after the key of the last entry on the previous page; null for the first page
 * @param cursors writes the place after this page
 */
public record Paging<K>(int limit, @Nullable K after, Cursors<K> cursors) {

    /** How many entries to fetch: one more than the page has, to know whether there is another page. */
    public int fetch() {
        return limit + 1;
    }

    /**
     * The requested page.
     *
     * @param found the entries after the place, in order, at most {@link #fetch} of them
     */
    public <T> Page<T> page(List<T> found, Function<T, K> key) {
        return page(List.copyOf(found.subList(0, Math.min(limit, found.size()))), found.size() > limit, key);
    }

    /** A page of these entries. */
    public <T> Page<T> page(List<T> items, boolean more, Function<T, K> key) {
        return new Page<>(items, more && !items.isEmpty() ? cursors.write(key.apply(items.getLast())) : null);
    }

    /** The requested page of a list in memory, which may be in any order. */
    public <T> Page<T> pick(Collection<T> all, Function<T, K> key, Comparator<? super K> order) {
        Stream<T> rest =
                after == null ? all.stream() : all.stream().filter(one -> order.compare(key.apply(one), after) > 0);
        return page(rest.sorted(Comparator.comparing(key, order)).limit(fetch()).toList(), key);
    }
}
