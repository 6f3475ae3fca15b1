package dev.headgate.server.sizing;

import io.swagger.v3.oas.annotations.media.Schema;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/**
 * How sizes are tried.
 *
 * @param seconds measured at each size, 1 to 30; 4 by default
 * @param most the largest size that may be tried; by default what the siblings leave of the budget
 * @param mostWaitMs a size is ruled out as soon as a caller has waited so long, 10 to 60000; 1000 by default, and never less than
 *     twice what callers wait now
 */
@Schema(name = "SizeSearchCreate")
record SizeSearchRequest(
        @Range(min = 1, max = 30) @Nullable Integer seconds,
        @Range(min = 1, max = 10_000) @Nullable Integer most,
        @Range(min = 10, max = 60_000) @Nullable Integer mostWaitMs) {}
