package dev.headgate.server.annotations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which annotations to list. Null fields match everything. {@code from} is included, {@code to} is not.
 *
 * @param domain whose charts show them: its own, those of its database, and those of all
 * @param database of that domain, if it is known
 */
record AnnotationFilter(
        @Nullable String domain,
        @Nullable String database,
        @Nullable String kind,
        @Nullable Instant from,
        @Nullable Instant to) {}
