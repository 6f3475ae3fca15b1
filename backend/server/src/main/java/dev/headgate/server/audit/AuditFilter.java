package dev.headgate.server.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A filter for audit entries. Null fields match everything. {@code from} is included, {@code to} is not. */
record AuditFilter(
        @Nullable String actor,
        @Nullable String action,
        @Nullable String target,
        @Nullable Instant from,
        @Nullable Instant to) {}
