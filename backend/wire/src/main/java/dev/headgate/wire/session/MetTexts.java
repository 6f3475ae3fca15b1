package dev.headgate.wire.session;

import dev.headgate.protocol.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The unnamed texts that a connection has met lately, and in which of its leases each came first. A text that comes once, such as one
 * with its values in it, is not worth preparing: it would displace another one. Bounded; belongs to the lease's holder.
 */
final class MetTexts {

    private static final int MOST = 500;

    /** The lease in which each came first, by the text's hash. Where two hashes are equal, a text is prepared one lease too early. */
    private final Map<Integer, Integer> first = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Integer> eldest) {
            return size() > MOST;
        }
    };

    private int lease;

    void nextLease() {
        lease++;
    }

    /** Takes note of a text. Answers whether it came in an earlier lease too. */
    boolean metBefore(Statement statement) {
        Integer met = first.putIfAbsent(statement.hashCode(), lease);
        return met != null && met != lease;
    }

    void clear() {
        first.clear();
    }
}
