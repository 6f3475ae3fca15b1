/**
 * The guards: bounds for a revision on probation, compared with measurements. {@link dev.headgate.server.guards.Guards} stores
 * and arms them. A guard that fires publishes {@link dev.headgate.server.guards.GuardFired}; restoring the former set is not
 * decided here.
 */
@NullMarked
package dev.headgate.server.guards;

import org.jspecify.annotations.NullMarked;
