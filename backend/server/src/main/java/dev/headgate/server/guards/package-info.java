/**
 * The guards: what a revision on probation must not pass, watched on what is measured. {@link
 * dev.headgate.server.guards.Guards} keeps and arms them. One that fires tells so ({@link
 * dev.headgate.server.guards.GuardFired}); whose set then comes back is not decided here.
 */
@NullMarked
package dev.headgate.server.guards;

import org.jspecify.annotations.NullMarked;
