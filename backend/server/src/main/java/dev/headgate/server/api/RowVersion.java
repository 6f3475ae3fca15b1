package dev.headgate.server.api;

import dev.headgate.server.problems.EntityTag;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;

/**
 * The version of a stored row, which is the entity tag of its settings: PostgreSQL's {@code xmin}, the transaction that wrote the row
 * last. So every change makes another one, whoever makes it, and so does a row that is deleted and made again.
 */
public record RowVersion(String xmin) {

    /** An answer about the row. It may show more than the settings, so nobody may keep it by their tag. */
    public ResponseEntity.BodyBuilder answer() {
        return ResponseEntity.ok().eTag(EntityTag.of(xmin)).cacheControl(CacheControl.noStore());
    }

    /**
     * Checks the version that a change is based on. Called in the transaction of the change, which has locked the row.
     *
     * @param ifMatch an entity tag; null for no check
     * @param what for the problem's sentence, such as {@code domain 'bank'}
     * @throws ProblemException stale-revision; malformed-request if it is no such tag
     */
    public void require(@Nullable String ifMatch, String what) {
        if (ifMatch == null) {
            return;
        }
        String now = EntityTag.of(xmin);
        String based = EntityTag.number(ifMatch, "the ETag of the " + what + ", such as " + now);
        if (!based.equals(xmin)) {
            throw ProblemException.of(
                    ProblemType.STALE_REVISION,
                    "This is based on the " + what + " as it was at " + ifMatch.strip() + ", but it is at " + now
                            + " now.");
        }
    }
}
