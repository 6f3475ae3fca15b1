package dev.headgate.server.guards;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/**
 * The probation of a revision, while it lasts.
 *
 * @param until when it ends and the revision stays
 * @param restores the revision that is restored if a bound is exceeded before
 */
@Schema(name = "Guard")
public record Guard(Instant until, long restores, GuardBounds bounds) {}
