package dev.headgate.engine.supervision;

import java.time.Instant;

/**
 * A failure of a supervised task. The task continues.
 *
 * @param task its name
 * @param number the number of its failures since the start, including this one
 * @param isNew whether it had no failure for {@link Supervisor#QUIET} before this one
 */
public record Failure(String task, Throwable cause, Instant at, long number, boolean isNew) {}
