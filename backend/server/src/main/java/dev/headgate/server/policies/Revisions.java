package dev.headgate.server.policies;

import dev.headgate.server.problems.EntityTag;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;

/**
 * A page of a set's revisions, newest first. Each is an entity tag.
 *
 * @param nextCursor null on the last page
 */
@Schema(name = "RevisionsList")
record Revisions(List<PolicySetRevision> items, @Nullable String nextCursor) {

    static ResponseEntity<PolicySetRevision> answer(PolicySetRevision revision) {
        return ResponseEntity.ok()
                .eTag(EntityTag.of(String.valueOf(revision.revision())))
                .cacheControl(CacheControl.noStore()) // the ETag names the revision; the owner may change without one
                .body(revision);
    }

    /** The revision in an If-Match header. */
    static long basedOn(@Nullable String ifMatch) {
        if (ifMatch == null) {
            throw ProblemException.of(
                    ProblemType.PRECONDITION_REQUIRED,
                    "Send If-Match with the ETag of the policy set that the change is based on, such as If-Match: \"8\".");
        }
        return Long.parseLong(EntityTag.number(ifMatch, "one revision in quotes, such as \"8\""));
    }
}
