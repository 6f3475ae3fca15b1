package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;

/**
 * A revision on probation gives way to the former one: it has exceeded a bound, its trial is over, or it could not be judged and was
 * to be restored then. Published on the guard's own thread, with the guard as actor. The guard has ended but is still stored.
 *
 * @param restores the revision to restore
 * @param reason one sentence, without its full stop
 */
public record GuardFired(Scope scope, long revision, long restores, String reason) implements Guards.Outcome {}
