package dev.headgate.server.limits;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Connections by address, the oldest of each first. Whoever is at a bound ends one of them for a new one. Not safe for several threads.
 *
 * @param <A> an address
 * @param <C> a connection
 */
final class ByAddress<A, C> {

    private final Map<A, Set<C>> oldestFirst = new LinkedHashMap<>();

    void add(A address, C connection) {
        oldestFirst.computeIfAbsent(address, _ -> new LinkedHashSet<>()).add(connection);
    }

    void remove(A address, C connection) {
        Set<C> present = oldestFirst.get(address);
        if (present != null && present.remove(connection) && present.isEmpty()) {
            oldestFirst.remove(address);
        }
    }

    /** Removes those that are gone. */
    void forget(Predicate<C> isGone) {
        oldestFirst.values().removeIf(present -> {
            present.removeIf(isGone);
            return present.isEmpty();
        });
    }

    int size() {
        return oldestFirst.values().stream().mapToInt(Set::size).sum();
    }

    int size(A address) {
        return oldestFirst.getOrDefault(address, Set.of()).size();
    }

    /**
     * Removes the oldest connection of an address that can be ended.
     *
     * @param ends ends it, unless it is in use
     */
    boolean endsOneOf(A address, Predicate<C> ends) {
        return endsOne(oldestFirst.getOrDefault(address, Set.of()), ends);
    }

    /** The same, of the address that has the most; of the next one, if all of those are in use. */
    boolean endsOneOfTheMost(Predicate<C> ends) {
        return oldestFirst.values().stream()
                .sorted(Comparator.<Set<C>>comparingInt(Set::size).reversed())
                .anyMatch(present -> endsOne(present, ends));
    }

    private static <C> boolean endsOne(Set<C> present, Predicate<C> ends) {
        for (Iterator<C> each = present.iterator(); each.hasNext(); ) {
            if (ends.test(each.next())) {
                each.remove();
                return true;
            }
        }
        return false;
    }
}
