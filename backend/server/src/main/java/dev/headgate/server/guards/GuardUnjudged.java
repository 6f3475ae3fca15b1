package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;

/**
 * The probation of a revision ended without a judgement, and the revision stays. Published on the guard's own thread, in the
 * transaction that removes the guard.
 *
 * @param reason one sentence
 */
public record GuardUnjudged(Scope scope, long revision, String reason) {}
