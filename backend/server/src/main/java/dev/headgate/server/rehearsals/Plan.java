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
 * @param violations the faults that prevent putting it in force
 * @param now the limits in force; null if unknown
 * @param planned the limits that the set would answer with now; null if it is not valid
 * @param warnings about settings that are allowed but probably not intended
 * @param predicted what the set would have done with the load of the last seconds; null if it is not valid, if there was no load, or
 *     if it was not requested
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

    /** @param ceiling at most the budget */
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
