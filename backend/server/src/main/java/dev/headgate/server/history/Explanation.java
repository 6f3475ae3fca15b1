package dev.headgate.server.history;

import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.Second;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explains a domain's state at one instant: why a request waited or was refused.
 *
 * @param sentence the answer in words
 * @param moment the measurements of that second; null if they are not known any more, or not yet
 * @param standing the decision that set the limits in force then; null if the log does not reach back so far
 * @param limits what each source allows the pool, the most restrictive first; empty if the domain has no pool, or was not there yet
 * @param decisions the decisions, held and refused ones included, at that instant, newest first
 */
@Schema(name = "Explanation")
record Explanation(
        Instant at,
        String sentence,
        @Nullable Moment moment,
        @Nullable DecisionJson standing,
        List<LimitRow> limits,
        List<DecisionJson> decisions) {

    /**
     * One second of a domain, or the shortest time of it that is kept: {@code inUse} is its mean, {@code waiting} its maximum, the
     * others are values at its end.
     */
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
            @Nullable Double refusedPerSecond) {

        static Moment of(Second row) {
            return new Moment(
                    row.inUse(),
                    row.size(),
                    row.waiting(),
                    row.floor(),
                    row.ceiling(),
                    row.meanMs(),
                    row.p99Ms(),
                    row.waitP99Ms(),
                    row.refusedPerSecond());
        }
    }
}
