package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import dev.headgate.server.guards.GuardTerms;
import org.jspecify.annotations.Nullable;

/**
 * A set to put in force, for a domain or a database.
 *
 * @param basedOn the revision that the author of the change has seen
 * @param restores the earlier revision that it brings back; null if it is a new one
 * @param action its name in the audit
 * @param owner its owner afterwards; null for none
 * @param guard null for no probation
 */
record PolicyChange(
        Scope scope,
        long basedOn,
        PolicySetRequest set,
        @Nullable Long restores,
        String action,
        ManagedSets.@Nullable Owner owner,
        @Nullable GuardTerms guard) {

    private static final String BY_GUARD = "policies.guard";

    static PolicyChange put(Scope scope, long basedOn, PolicySetRequest set, @Nullable GuardTerms guard) {
        return new PolicyChange(scope, basedOn, set, null, "policies.put", null, guard);
    }

    static PolicyChange putFor(ManagedSets.Owner owner, Scope scope, long basedOn, PolicySetRequest set) {
        return new PolicyChange(scope, basedOn, set, null, "policies.put", owner, null);
    }

    static PolicyChange adopt(Scope scope, long basedOn, PolicySetRequest set) {
        return new PolicyChange(scope, basedOn, set, null, "policies.adopt", null, null);
    }

    static PolicyChange restore(Scope scope, long basedOn, PolicySetRevision earlier) {
        return restore(scope, basedOn, earlier, "Restored from revision " + earlier.revision(), "policies.restore");
    }

    static PolicyChange restoreByGuard(Scope scope, long basedOn, PolicySetRevision earlier, String reason) {
        return restore(scope, basedOn, earlier, reason, BY_GUARD);
    }

    private static PolicyChange restore(
            Scope scope, long basedOn, PolicySetRevision earlier, String comment, String action) {
        PolicySetRequest set = earlier.policySet().withComment(comment);
        return new PolicyChange(scope, basedOn, set, earlier.revision(), action, null, null);
    }

    /** Whether a guard brings the former set back, which ends its watch whatever that set is. */
    boolean isByGuard() {
        return action.equals(BY_GUARD);
    }

    /** One sentence about the change, for people. */
    String told(String actor, long revision) {
        if (restores == null) {
            return actor + " put revision " + revision + " of " + scope.path() + " in force.";
        }
        String restored =
                actor + " restored revision " + restores + " of " + scope.path() + " as revision " + revision + ".";
        return isByGuard() ? restored + " " + set.comment() : restored;
    }
}
