package dev.headgate.server.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A filter for decisions. Null fields match everything.
 *
 * @param policy a plugin also matches in a database's set: {@code latency-cap} matches {@code database/latency-cap}
 * @param q part of the message or of a name, whatever its case
 * @param from included
 * @param to not included
 */
public record DecisionFilter(
        @Nullable String domain,
        @Nullable String database,
        @Nullable String kind,
        @Nullable String policy,
        @Nullable String q,
        @Nullable Instant from,
        @Nullable Instant to) {

    public static final DecisionFilter ALL = new DecisionFilter(null, null, null, null, null, null, null);
}
