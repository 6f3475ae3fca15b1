package dev.headgate.server.rehearsals;

import dev.headgate.server.api.AnswerJson;
import dev.headgate.server.policies.Difference;
import dev.headgate.server.problems.Fault;
import dev.headgate.spi.Limits;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The effect that a policy set would have.
 *
 * @param baseRevision the revision it was compared with
 * @param violations what keeps it from being put in force
 * @param now the limits in force; null where they are not known
 * @param planned the limits that the set would answer with at this moment; null where it is not valid
 * @param warnings what is allowed and yet hardly meant
 * @param predicted what the set would have done with the load of the last seconds; null where it is not valid, where
 *     there was no load, or where it was not asked for
 */
@Schema(name = "Plan")
record Plan(
        long baseRevision,
        List<Difference> diff,
        List<Fault> violations,
        @Nullable PlannedLimits now,
        @Nullable PlannedLimits planned,
        List<String> warnings,
        @Nullable Predicted predicted) {

    /** @param ceiling as far as the budget allows */
    @Schema(name = "PlannedLimits")
    record PlannedLimits(int floor, int ceiling, List<AnswerJson> answers) {

        static PlannedLimits of(int floor, int ceiling, int budget, List<AnswerJson> answers) {
            int bounded = Math.min(ceiling, budget);
            return new PlannedLimits(Math.min(floor, bounded), bounded, answers);
        }

        static PlannedLimits of(Limits limits, int budget, List<AnswerJson> answers) {
            return of(limits.floor(), limits.ceiling(), budget, answers);
        }
    }
}
