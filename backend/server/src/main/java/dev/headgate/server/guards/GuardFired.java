package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;

/**
 * A revision on probation has passed a bound. Published on a thread of the guard's own, which acts as the guard; the guard has
 * ended, and is still in the store.
 *
 * @param restores the revision whose set is to come back
 * @param reason one sentence, without its full stop
 */
public record GuardFired(Scope scope, long revision, long restores, String reason) implements Guards.Outcome {}
