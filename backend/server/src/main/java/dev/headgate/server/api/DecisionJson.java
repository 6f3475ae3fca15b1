package dev.headgate.server.api;

import dev.headgate.engine.governor.Decision;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One answer of the governor that changed or refused something. One that is sent again with a known {@code id} replaces
 * the earlier: its count grew.
 *
 * @param domain null if it concerns the whole database
 * @param policy the binding policy's plugin, "allocator" or "governor"
 * @param answers of the policies
 * @param combined the combined answer; null in decisions of earlier versions
 */
@Schema(name = "Decision")
public record DecisionJson(
        String id,
        Instant time,
        Instant lastTime,
        long count,
        String node,
        String database,
        @Nullable String domain,
        long revision,

        @Schema(
                allowableValues = {
                    "grew",
                    "shrank",
                    "held",
                    "refused",
                    "limits",
                    "policy",
                    "unjudged",
                    "degraded",
                    "recovered",
                    "quarantined",
                    "lent",
                    "reclaimed",
                    "alarm",
                    "cleared",
                    "paused",
                    "resumed",
                    "flushed",
                    "drained",
                    "shadow",
                    "unreachable",
                    "reachable"
                })
        String kind,

        String policy,
        String message,
        Inputs inputs,
        Bounds before,
        Bounds after,
        List<AnswerJson> answers,
        @Nullable AnswerJson combined) {

    /**
     * The governor's inputs.
     *
     * @param meanMs latency of requests in the last window of 100 ms, or in the last ten seconds if it saw none; so is {@code p99Ms}
     * @param judgedMs the latency that the quoted policy judged, in its own figure and over its own time; null if no policy that
     *     judges latency is quoted
     */
    @Schema(name = "DecisionInputs")
    public record Inputs(
            int size,
            int inUse,
            int idle,
            int waiting,
            double longestWaitMs,
            double meanMs,
            double p99Ms,
            @Nullable Double judgedMs) {

        static Inputs of(Decision.Inputs inputs) {
            return new Inputs(
                    inputs.size(),
                    inputs.inUse(),
                    inputs.idle(),
                    inputs.waiting(),
                    Millis.of(inputs.longestWaitNanos()),
                    Millis.of(inputs.meanNanos()),
                    Millis.of(inputs.p99Nanos()),
                    AnswerJson.millis(inputs.judgedNanos()));
        }
    }

    /**
     * The pool's bounds.
     *
     * @param ceiling null if no policy bounds it
     */
    @Schema(name = "DecisionBounds")
    public record Bounds(int floor, @Nullable Integer ceiling, int target) {

        static Bounds of(Decision.Bounds bounds) {
            return new Bounds(bounds.floor(), AnswerJson.specified(bounds.ceiling()), bounds.target());
        }
    }

    /** The same decision without the answers and the inputs. */
    public DecisionJson withoutDetails() {
        return new DecisionJson(
                id,
                time,
                lastTime,
                count,
                node,
                database,
                domain,
                revision,
                kind,
                "",
                "The details of this decision could not be kept.",
                inputs,
                before,
                after,
                List.of(),
                null);
    }

    public static DecisionJson of(Decision decision) {
        return new DecisionJson(
                decision.id(),
                decision.time(),
                decision.lastTime(),
                decision.count(),
                decision.node(),
                decision.database(),
                decision.domain().isEmpty() ? null : decision.domain(),
                decision.revision(),
                decision.kind().label(),
                decision.policy(),
                decision.message(),
                Inputs.of(decision.inputs()),
                Bounds.of(decision.before()),
                Bounds.of(decision.after()),
                AnswerJson.all(decision.answers()),
                AnswerJson.combined(decision.policy(), decision.combined()));
    }
}
