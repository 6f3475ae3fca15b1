package dev.headgate.server.alarms;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which alarms to list. Null fields match everything.
 *
 * @param open whether they stand
 * @param domain that they concern: its own, those of its database, and those of the service
 * @param database of that domain, if it is known
 * @param from they had not ended before
 * @param to they began before
 */
record AlarmFilter(
        @Nullable Boolean open,
        @Nullable String domain,
        @Nullable String database,
        @Nullable String code,
        @Nullable Instant from,
        @Nullable Instant to) {}
