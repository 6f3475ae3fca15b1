package dev.headgate.server.api;

import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PoolStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What keeps a pool from growing.
 *
 * @param by "policy" of the domain, "database-policy", "rate", "budget", "unreachable", "paused", "draining", or "nothing"
 * @param policy the policy that bounds it, with "database/" before a database's own; null if no policy does
 * @param reason a sentence
 * @param holdsBack whether callers wait for it now; if not, it is what they would meet first
 */
@Schema(name = "Limit")
public record LimitJson(
        @Schema(
                allowableValues = {
                    "policy",
                    "database-policy",
                    "rate",
                    "budget",
                    "unreachable",
                    "paused",
                    "draining",
                    "nothing"
                })
        String by,

        @Nullable String policy,
        String reason,
        boolean holdsBack) {

    static LimitJson of(PoolStatus status) {
        PoolStatus.Limit limit = status.limitedBy();
        return new LimitJson(
                label(limit.by()),
                limit.answer().map(Answer::plugin).orElse(null),
                limit.answer().map(answer -> answer.limits().reason()).orElseGet(() -> sentence(status)),
                limit.holdsBack());
    }

    static String label(PoolStatus.Limit.By by) {
        return switch (by) {
            case CEILING -> "policy";
            case DATABASE -> "database-policy";
            case RATE -> "rate";
            case BUDGET -> "budget";
            case UNREACHABLE -> "unreachable";
            case PAUSED -> "paused";
            case DRAINING -> "draining";
            case NOTHING -> "nothing";
        };
    }

    private static String sentence(PoolStatus status) {
        int ceiling = Math.min(status.ceiling(), status.budget());
        return switch (status.limitedBy().by()) {
            case CEILING, RATE -> "Its policy set allows no more than %d.".formatted(ceiling);
            case DATABASE -> "The policy set of %s allows its domains no more.".formatted(status.database());
            case BUDGET ->
                "All %d connections of the budget of %s are given out.".formatted(status.budget(), status.database());
            case UNREACHABLE -> status.database() + " cannot be reached.";
            case PAUSED -> "It is paused.";
            case DRAINING -> "It is draining.";
            case NOTHING -> "It may grow to %d.".formatted(ceiling);
        };
    }
}
