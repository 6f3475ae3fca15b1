/**
 * Tries a policy set without putting it in force: a plan of the change, a replay of the recorded past, and a shadow set that runs
 * beside the live one. No other package depends on this one.
 */
@NullMarked
package dev.headgate.server.rehearsals;

import org.jspecify.annotations.NullMarked;
