package dev.headgate.server.policies;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.server.plugins.PluginCall;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** A policy set that has been read and checked. Immutable. */
public final class Draft {

    private final PolicySetRequest request;
    private final List<Part> parts;
    private final WhenExhausted whenExhausted;
    private final List<Fault> faults;
    private final List<String> warnings;
    private final int guaranteed;

    Draft(
            PolicySetRequest request,
            List<Part> parts,
            WhenExhausted whenExhausted,
            List<Fault> faults,
            List<String> warnings,
            int guaranteed) {
        this.request = request;
        this.parts = parts;
        this.whenExhausted = whenExhausted;
        this.faults = faults;
        this.warnings = warnings;
        this.guaranteed = guaranteed;
    }

    /** The set as it will be stored. */
    public PolicySetRequest request() {
        return request;
    }

    /** The faults that prevent putting it in force. Their pointers are relative to the set. */
    public List<Fault> faults() {
        return faults;
    }

    /** Warnings about settings that are allowed but probably not intended. */
    public List<String> warnings() {
        return warnings;
    }

    /** Connections that it guarantees; 0 for none. */
    public int guaranteed() {
        return guaranteed;
    }

    /** One policy that can be created: its parameters include their defaults and have been accepted once. */
    record Part(String plugin, String version, PolicyFactory factory, Parameters parameters) {

        private Policy make() {
            try {
                return PluginCall.within(PluginCall.DEADLINE, () -> factory.create(parameters));
            } catch (TimeoutException e) {
                throw notMade("within " + PluginCall.DEADLINE.toMillis() + " ms");
            } catch (ExecutionException e) {
                throw notMade("this time: " + e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw notMade("because the change was interrupted");
            }
        }

        private ProblemException notMade(String why) {
            return ProblemException.of(
                    ProblemType.UNAVAILABLE,
                    "The policy " + plugin + " " + version + " could not be created " + why + ".");
        }
    }

    /** The policies that can be created. */
    List<Part> parts() {
        return parts;
    }

    public boolean isValid() {
        return faults.isEmpty();
    }

    /**
     * Creates the policies. Each call creates new ones, because exactly one governor owns a set. Blocks while a plugin creates its policy.
     *
     * @throws ProblemException unavailable if one cannot be created in time; the others have been closed
     */
    public PolicySet build(long revision) {
        List<PolicySet.Member> members = new ArrayList<>();
        try {
            for (Part part : parts) {
                members.add(new PolicySet.Member(part.plugin(), part.make()));
            }
        } catch (ProblemException e) {
            close(members);
            throw e;
        }
        return new PolicySet(revision, members, whenExhausted, () -> {});
    }

    /** As {@link #build}. Its caller closes it. */
    public MadeSet make() {
        return new MadeSet(build(0));
    }

    /**
     * The same for a set that was put in force before. In place of a policy that cannot be created now stands one that fails, so that its
     * domain counts as degraded and all others are served.
     */
    public PolicySet buildInForce(long revision) {
        List<PolicySet.Member> members = parts.stream()
                .map(part -> {
                    try {
                        return new PolicySet.Member(part.plugin(), part.make());
                    } catch (ProblemException e) {
                        return new PolicySet.Member(part.plugin(), view -> {
                            throw new IllegalStateException(e.getMessage());
                        });
                    }
                })
                .toList();
        return new PolicySet(revision, members, whenExhausted, () -> {});
    }

    /** Closes the policies of a set that was given to no governor. */
    static void close(List<PolicySet.Member> members) {
        members.forEach(member -> close(member.policy()));
    }

    /** Closes a policy that was given to no governor. Ignores what its plugin throws. */
    static void close(Policy policy) {
        try {
            PluginCall.within(PluginCall.DEADLINE, () -> {
                policy.close();
                return policy;
            });
        } catch (TimeoutException | ExecutionException e) {
            // it is left behind
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
