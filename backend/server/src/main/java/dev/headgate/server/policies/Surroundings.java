package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;

/**
 * The limits around a set: its database's budget and its siblings' guarantees.
 *
 * @param database the database's name
 * @param promised connections that the sibling domains' sets guarantee
 */
record Surroundings(Scope scope, String database, int budget, int promised) {}
