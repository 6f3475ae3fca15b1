package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;
import java.time.Instant;

/**
 * A revision on probation.
 *
 * @param armedAt when it was put in force
 */
public record Probation(Scope scope, long revision, Instant armedAt, Guard guard) {}
