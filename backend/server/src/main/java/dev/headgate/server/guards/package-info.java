/**
 * The guards: bounds for a revision on probation, compared with measurements. {@link dev.headgate.server.guards.Guards} stores
 * and arms them. A guard that fires publishes {@link dev.headgate.server.guards.GuardFired}, one that could not judge its revision
 * {@link dev.headgate.server.guards.GuardUnjudged}; what becomes of the set is not decided here.
 */
@NullMarked
package dev.headgate.server.guards;

import org.jspecify.annotations.NullMarked;
