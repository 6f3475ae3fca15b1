/**
 * Moves the engine's events off the governors' threads: one queue that never blocks a governor, and one thread that calls all
 * listeners in turn, so that no listener needs a lock against concurrent calls.
 */
@NullMarked
package dev.headgate.server.feed;

import org.jspecify.annotations.NullMarked;
