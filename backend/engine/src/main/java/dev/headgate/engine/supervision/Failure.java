package dev.headgate.engine.supervision;

import java.time.Instant;

/**
 * A supervised task has failed, and goes on.
 *
 * @param task its name
 * @param number of its failures since the start, this one included
 * @param isNew whether it had not failed for {@link Supervisor#QUIET} before
 */
public record Failure(String task, Throwable cause, Instant at, long number, boolean isNew) {}
