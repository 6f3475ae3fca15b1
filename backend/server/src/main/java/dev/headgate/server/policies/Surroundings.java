package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;

/**
 * What a set is to fit into.
 *
 * @param database the database's name
 * @param promised connections that the sibling domains' sets guarantee
 */
record Surroundings(Scope scope, String database, int budget, int promised) {}
