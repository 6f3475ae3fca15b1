package dev.headgate.server.policies;

import dev.headgate.server.api.WhenExhaustedJson;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Reads a policy set and finds every fault in it: unknown plugins, parameters that the plugin's schema or the plugin itself
 * refuses, and policies that contradict each other or the budget. Changes nothing.
 */
@Component
final class DraftReader {

    private final PolicyReader policies;

    DraftReader(PolicyReader policies) {
        this.policies = policies;
    }

    Draft read(PolicySetRequest request, Surroundings around) {
        Faults faults = new Faults();
        List<String> warnings = new ArrayList<>();
        List<Draft.Part> parts = new ArrayList<>();
        List<Tried> tried = new ArrayList<>();

        checkComment(request.comment(), faults);
        @Nullable
        WhenExhaustedJson whenExhausted = WhenExhaustedReader.read(request.whenExhausted(), around.scope(), faults);
        List<PolicySetRequest.@Nullable PolicyUseRequest> uses =
                request.policies() == null ? List.of() : request.policies();
        if (request.policies() == null) {
            faults.add(Fault.at("/policies", "is missing", "an array of policies"));
        } else if (uses.size() > PolicySetRequest.MOST_POLICIES) {
            faults.add(Fault.at(
                    "/policies",
                    "must hold at most " + PolicySetRequest.MOST_POLICIES + ", has " + uses.size(),
                    "0.." + PolicySetRequest.MOST_POLICIES));
        }
        List<PolicySetRequest.PolicyUseRequest> kept = new ArrayList<>();
        for (int i = 0; i < Math.min(uses.size(), PolicySetRequest.MOST_POLICIES); i++) {
            PolicySetRequest.@Nullable PolicyUseRequest use = uses.get(i);
            if (use == null) {
                faults.add(Fault.at("/policies/" + i, "must not be null", "a policy"));
                continue;
            }
            Optional<Draft.Part> part = policies.read(use, "/policies/" + i, faults);
            kept.add(part.map(Draft.Part::version).map(use::withVersion).orElse(use));
            if (part.isPresent()) {
                parts.add(part.get());
                policies.tryOut(part.get(), i, around, faults).ifPresent(tried::add);
            }
        }
        int guaranteed = 0;
        if (tried.size() == uses.size()) {
            SetChecks.bounds(tried, around, faults, warnings);
            guaranteed = SetChecks.guarantee(tried, uses, around, faults);
        }
        return new Draft(
                new PolicySetRequest(List.copyOf(kept), whenExhausted, request.comment()),
                List.copyOf(parts),
                WhenExhaustedReader.engine(whenExhausted),
                faults.list(),
                List.copyOf(warnings),
                guaranteed);
    }

    /** Whether all plugins of a set that was read are still there. */
    boolean areInstalled(Draft draft) {
        return draft.parts().stream().allMatch(policies::isInstalled);
    }

    private static void checkComment(@Nullable String comment, Faults faults) {
        if (comment != null && comment.length() > PolicySetRequest.LONGEST_COMMENT) {
            faults.add(Fault.at(
                    "/comment",
                    "must have at most " + PolicySetRequest.LONGEST_COMMENT + " characters, has " + comment.length(),
                    "0.." + PolicySetRequest.LONGEST_COMMENT + " characters"));
        }
    }
}
