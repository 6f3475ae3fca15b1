package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.spi.Limits;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks whether the policies of a set fit together, and fit the budget and the sibling domains. */
final class SetChecks {

    private SetChecks() {}

    /** Compares the floors and ceilings of policies that do not learn, because these stay as they are. */
    static void bounds(List<Tried> tried, Surroundings around, Faults faults, List<String> warnings) {
        List<Tried> fixed = tried.stream().filter(t -> !t.trial().adaptive()).toList();
        if (fixed.isEmpty()) {
            return;
        }
        Tried highestFloor = fixed.stream()
                .max(Comparator.comparingInt(t -> t.limits().floor()))
                .orElseThrow();
        Tried lowestCeiling = fixed.stream()
                .min(Comparator.comparingInt(t -> t.limits().ceiling()))
                .orElseThrow();
        int floor = highestFloor.limits().floor();
        int ceiling = lowestCeiling.limits().ceiling();
        if (floor > ceiling) {
            faults.add(Fault.at(
                    "/policies/" + highestFloor.index(),
                    highestFloor.plugin() + " has a floor of " + floor + ", above the ceiling of " + ceiling + " of "
                            + lowestCeiling.plugin() + " at /policies/" + lowestCeiling.index(),
                    "a floor of 0.." + ceiling));
        }
        if (floor > around.budget()) {
            warnings.add("The floor of " + floor + " is above the budget of " + around.budget() + " of "
                    + around.database() + " and will not be reached.");
        } else if (ceiling != Limits.UNSPECIFIED && ceiling > around.budget()) {
            warnings.add("The ceiling of " + ceiling + " is above the budget of " + around.budget() + " of "
                    + around.database() + "; the budget applies.");
        }
    }

    /** @return connections that the set guarantees; 0 for none */
    static int guarantee(
            List<Tried> tried,
            List<PolicySetRequest.@Nullable PolicyUseRequest> uses,
            Surroundings around,
            Faults faults) {
        Optional<Tried> binding = tried.stream()
                .filter(t -> t.limits().guaranteed() != Limits.UNSPECIFIED)
                .min(Comparator.comparingInt(t -> t.limits().guaranteed()));
        if (binding.isEmpty() || around.scope().kind() == Scope.Kind.DATABASE) {
            return 0;
        }
        int guaranteed = binding.get().limits().guaranteed();
        int left = Math.max(0, around.budget() - around.promised());
        if (guaranteed > left) {
            int index = binding.get().index();
            PolicySetRequest.@Nullable PolicyUseRequest use = uses.get(index);
            boolean named =
                    use != null && use.parameters() != null && use.parameters().containsKey("guaranteed");
            faults.add(Fault.at(
                    "/policies/" + index + (named ? "/parameters/guaranteed" : ""),
                    "guarantees " + guaranteed + " connections; together with the " + around.promised()
                            + " guaranteed to its siblings this exceeds the budget of " + around.budget() + " of "
                            + around.database(),
                    "0.." + left));
        }
        return guaranteed;
    }
}
