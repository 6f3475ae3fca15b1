package dev.headgate.server.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A filter for decisions. Null fields match everything. {@code from} is included, {@code to} is not. */
public record DecisionFilter(
        @Nullable String domain,
        @Nullable String database,
        @Nullable String kind,
        @Nullable String policy,
        @Nullable Instant from,
        @Nullable Instant to) {

    public static final DecisionFilter ALL = new DecisionFilter(null, null, null, null, null, null);
}
