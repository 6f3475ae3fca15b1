package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import java.time.Instant;

/**
 * A policy set has been put in force. Published on the thread of the request that did it, after the change is kept.
 *
 * @param database the database that the scope is on, or is
 * @param message one sentence for people
 */
public record PolicyChanged(Scope scope, String database, long revision, String actor, Instant time, String message) {}
