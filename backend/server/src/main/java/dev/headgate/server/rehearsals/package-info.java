/**
 * What a policy set would do, found out without putting it in force: a plan of the change, a replay of the recorded past, and a
 * shadow that is asked beside the live set. Nobody depends on it.
 */
@NullMarked
package dev.headgate.server.rehearsals;

import org.jspecify.annotations.NullMarked;
