/**
 * Starts and stops the service as a whole: makes the engine, restores into it what the store knows, says when it is
 * ready, and says in one sentence why it cannot start.
 */
@NullMarked
package dev.headgate.server.startup;

import org.jspecify.annotations.NullMarked;
