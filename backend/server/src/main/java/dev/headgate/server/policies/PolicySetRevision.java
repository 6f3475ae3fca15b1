package dev.headgate.server.policies;

import dev.headgate.server.guards.Guard;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A policy set at one revision.
 *
 * @param revision 0 is the initial, empty set
 * @param createdAt null for revision 0, as is {@code actor}
 * @param managedBy the set's owner if it is not edited by hand ("files: headgate.yaml"); only for the revision in force
 * @param restoredFrom the earlier revision that this one restored
 * @param guard its probation; null if it has none, or it has ended
 * @param unjudged what its probation, now ended, could not judge, as a sentence; null otherwise
 */
@Schema(name = "PolicySetRevision")
public record PolicySetRevision(
        long revision,
        @Nullable Instant createdAt,
        @Nullable String actor,
        @Nullable String comment,
        @Nullable String managedBy,
        @Nullable Long restoredFrom,
        PolicySetRequest policySet,
        @Nullable Guard guard,
        @Nullable String unjudged) {

    PolicySetRevision(
            long revision,
            @Nullable Instant createdAt,
            @Nullable String actor,
            @Nullable String comment,
            @Nullable String managedBy,
            @Nullable Long restoredFrom,
            PolicySetRequest policySet) {
        this(revision, createdAt, actor, comment, managedBy, restoredFrom, policySet, null, null);
    }

    PolicySetRevision withGuard(@Nullable Guard other) {
        return new PolicySetRevision(
                revision, createdAt, actor, comment, managedBy, restoredFrom, policySet, other, unjudged);
    }

    PolicySetRevision withManagedBy(@Nullable String owner) {
        return new PolicySetRevision(
                revision, createdAt, actor, comment, owner, restoredFrom, policySet, guard, unjudged);
    }
}
