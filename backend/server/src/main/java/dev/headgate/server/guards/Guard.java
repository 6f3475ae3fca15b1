package dev.headgate.server.guards;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/**
 * The probation of a revision, while it lasts.
 *
 * @param until when it ends
 * @param atEnd what happens then: the revision stays, or the former one is restored
 * @param restores the revision that is restored, also if a bound is exceeded before
 */
@Schema(name = "Guard")
public record Guard(
        Instant until,
        @Schema(allowableValues = {KEEP, RESTORE}) String atEnd,
        long restores,
        GuardBounds bounds) {

    static final String KEEP = "keep";
    static final String RESTORE = "restore";

    /** Whether the revision is only tried, and gives way to the former one at the end. */
    boolean isTrial() {
        return atEnd.equals(RESTORE);
    }
}
