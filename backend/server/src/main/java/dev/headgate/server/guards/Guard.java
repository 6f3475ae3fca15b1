package dev.headgate.server.guards;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/**
 * The probation of a revision, while it lasts.
 *
 * @param until then it ends, and the revision stays
 * @param restores the revision whose set comes back if a bound is passed before
 */
@Schema(name = "Guard")
public record Guard(Instant until, long restores, GuardBounds bounds) {}
