package dev.headgate.server.policies;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.server.problems.Fault;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.List;

/**
 * A policy set that has been read and checked.
 *
 * @param request as it will be kept
 * @param faults what keeps it from being put in force
 * @param warnings what is allowed and yet hardly meant
 * @param guaranteed connections that it guarantees; 0 for none
 */
record Draft(
        PolicySetRequest request,
        List<Part> parts,
        WhenExhausted whenExhausted,
        List<Fault> faults,
        List<String> warnings,
        int guaranteed) {

    /** One policy, ready to be made: its parameters have their defaults and have been accepted once. */
    record Part(String plugin, PolicyFactory factory, Parameters parameters) {}

    /** One policy's answer in a trial, and where the policy stands in the set. */
    record Tried(int index, String plugin, Trial trial) {
        Limits limits() {
            return trial.limits();
        }
    }

    boolean isValid() {
        return faults.isEmpty();
    }

    /** Makes the policies. Each call makes new ones: a set is owned by one governor, and by it alone. */
    PolicySet build(long revision) {
        List<PolicySet.Member> members = new ArrayList<>();
        for (Part part : parts) {
            members.add(new PolicySet.Member(part.plugin(), part.factory().create(part.parameters())));
        }
        return new PolicySet(revision, members, whenExhausted, () -> {});
    }
}
