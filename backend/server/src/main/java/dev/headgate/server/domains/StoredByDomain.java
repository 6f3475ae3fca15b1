package dev.headgate.server.domains;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A part of what the control store has of each domain, in memory: whoever needs it does not wait for the store. A change of one
 * domain costs a read of that domain, or of what has changed of it, however many there are. After a read that failed, the values from
 * before stay, and the next change reads all domains. Safe for any thread; readers wait for nobody.
 *
 * @param <T> the part, immutable
 */
public final class StoredByDomain<T> {

    private final Supplier<Map<String, T>> all;
    private final Function<String, Optional<T>> one;
    private final Map<String, T> known = new ConcurrentHashMap<>();
    private volatile boolean complete;

    /**
     * @param all reads the part of all domains that have it, by name
     * @param one reads that of one; empty if it has none, or if there is no such domain
     */
    public StoredByDomain(Supplier<Map<String, T>> all, Function<String, Optional<T>> one) {
        this.all = all;
        this.one = one;
    }

    /** The part of a domain, as of the last read; null if it has none. */
    public @Nullable T get(String domain) {
        return known.get(domain);
    }

    /** The domains that have it. */
    public Set<String> domains() {
        return Set.copyOf(known.keySet());
    }

    /** The parts of all domains, in any order. */
    public Stream<T> parts() {
        return known.values().stream();
    }

    /** Whether every change so far has been read. */
    public boolean isComplete() {
        return complete;
    }

    /** Reads all domains. Blocks on the store, and throws what reading throws. */
    public synchronized void read() {
        Map<String, T> read = all.get();
        known.keySet().retainAll(read.keySet());
        known.putAll(read);
        complete = true;
    }

    /** Reads a domain after a stored change of it. Blocks and throws as {@link #read}. */
    public void follow(String domain) {
        following(() -> one.apply(domain).ifPresentOrElse(part -> known.put(domain, part), () -> known.remove(domain)));
    }

    /**
     * The same, after a stored change of a piece of a part that may have thousands. Does nothing if the domain has no such part.
     *
     * @param change reads the piece, and returns the part with it
     */
    public void follow(String domain, UnaryOperator<T> change) {
        following(() -> known.computeIfPresent(domain, (_, before) -> change.apply(before)));
    }

    private synchronized void following(Runnable reading) {
        if (!complete) {
            read();
            return;
        }
        try {
            reading.run();
        } catch (RuntimeException e) {
            complete = false;
            throw e;
        }
    }
}
