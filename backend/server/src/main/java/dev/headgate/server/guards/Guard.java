package dev.headgate.server.guards;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/**
 * The probation of a revision, while it lasts.
 *
 * @param until when it ends
 * @param atEnd what happens then: the revision stays, the former one is restored, or it is restored if a bound could not be judged
 * @param restores the revision that is restored, also if a bound is exceeded before
 */
@Schema(name = "Guard")
public record Guard(
        Instant until,

        @Schema(allowableValues = {KEEP, RESTORE, RESTORE_UNJUDGED})
        String atEnd,

        long restores,
        GuardBounds bounds) {

    static final String KEEP = "keep";
    static final String RESTORE = "restore";
    static final String RESTORE_UNJUDGED = "restore-unjudged";

    /** Whether the revision is only tried, and gives way to the former one at the end. */
    boolean isTrial() {
        return atEnd.equals(RESTORE);
    }

    /** Whether the revision gives way to the former one if it could not be judged. */
    boolean restoresUnjudged() {
        return atEnd.equals(RESTORE_UNJUDGED);
    }
}
