package dev.headgate.server.sizing;

import io.swagger.v3.oas.annotations.media.Schema;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/**
 * How sizes are tried.
 *
 * @param mostSeconds the search ends within this time, 60 to 900; 170 by default. Each trial has an equal part of it
 * @param most the largest size that may be tried; by default what the siblings leave of the budget
 * @param mostWaitMs a size is ruled out as soon as a caller has waited longer, 10 to 60000; by default 1000, or twice the longest wait
 *     with the size in force if that is more
 * @param mostP99Ms a size is ruled out if the p99 of the requests' latency is longer, 1 to 60000; by default none is for that
 */
@Schema(name = "SizeSearchCreate")
record SizeSearchRequest(
        @Range(min = 60, max = 900) @Nullable Integer mostSeconds,
        @Range(min = 1, max = 10_000) @Nullable Integer most,
        @Range(min = 10, max = 60_000) @Nullable Integer mostWaitMs,
        @Range(min = 1, max = 60_000) @Nullable Integer mostP99Ms) {

    private static final int MOST_SECONDS = 170;

    int seconds() {
        return mostSeconds == null ? MOST_SECONDS : mostSeconds;
    }
}
