package dev.headgate.server.api;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which page of a list is asked for: at most {@code limit} entries after a place. A place is the key of an entry, never a
 * number of entries, so entries that are added or removed meanwhile neither repeat nor hide others.
 *
 * @param after the key of the last entry of the page before; null for the first page
 * @param cursors writes the place after this page
 */
public record Paging<K>(int limit, @Nullable K after, Cursors<K> cursors) {

    /** How many entries to look for: one more than are shown tells whether there is another page. */
    public int fetch() {
        return limit + 1;
    }

    /**
     * The page that was asked for.
     *
     * @param found the entries after the place, in order, {@link #fetch} of them where there are as many
     */
    public <T> Page<T> page(List<T> found, Function<T, K> key) {
        return page(List.copyOf(found.subList(0, Math.min(limit, found.size()))), found.size() > limit, key);
    }

    /** A page of these entries. */
    public <T> Page<T> page(List<T> items, boolean more, Function<T, K> key) {
        return new Page<>(items, more && !items.isEmpty() ? cursors.write(key.apply(items.getLast())) : null);
    }

    /** The page that was asked for, of a list that is in memory, in any order. */
    public <T> Page<T> pick(Collection<T> all, Function<T, K> key, Comparator<? super K> order) {
        Stream<T> rest =
                after == null ? all.stream() : all.stream().filter(one -> order.compare(key.apply(one), after) > 0);
        return page(rest.sorted(Comparator.comparing(key, order)).limit(fetch()).toList(), key);
    }
}
