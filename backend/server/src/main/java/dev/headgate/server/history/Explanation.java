package dev.headgate.server.history;

import dev.headgate.server.api.DecisionJson;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explains a domain's state at one instant: why a request waited or was refused.
 *
 * @param sentence the answer in words
 * @param moment what was measured in that second; null where it is no longer, or not yet, known
 * @param standing the decision that set the limits in force then; null where the log does not reach back so far
 * @param decisions what was decided, held or refused at that instant, newest first
 */
@Schema(name = "Explanation")
record Explanation(
        Instant at,
        String sentence,
        @Nullable Moment moment,
        @Nullable DecisionJson standing,
        List<DecisionJson> decisions) {

    /** One second of a domain: {@code inUse} is its mean, {@code waiting} its most, the others its end. */
    @Schema(name = "Moment")
    record Moment(
            @Nullable Double inUse,
            @Nullable Double size,
            @Nullable Double waiting,
            @Nullable Double floor,
            @Nullable Double ceiling,
            @Nullable Double meanMs,
            @Nullable Double p99Ms,
            @Nullable Double waitP99Ms,
            @Nullable Double refusedPerSecond) {}
}
