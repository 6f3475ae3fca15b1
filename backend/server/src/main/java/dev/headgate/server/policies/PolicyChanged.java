package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import java.time.Instant;

/**
 * A policy set was put in force. Published on the request's thread, after the change is stored.
 *
 * @param database the database that the scope is on, or is
 * @param message one sentence for people
 */
public record PolicyChanged(Scope scope, String database, long revision, String actor, Instant time, String message) {}
