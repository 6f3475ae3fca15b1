package dev.headgate.engine.meter;

import org.jspecify.annotations.Nullable;

/**
 * A lease that has ended.
 *
 * @param agoNanos since its first request
 * @param heldNanos from its first request to the end of its last
 * @param statement the beginning of the last statement, with its literals; null if it is not known
 */
public record PastLease(
        String holder,
        long agoNanos,
        long heldNanos,
        long requests,
        @Nullable String statement) {}
