/**
 * Starts and stops the service as a whole: creates the engine, restores the stored state into it, reports when the service is
 * ready, and says in one sentence why it cannot start.
 */
@NullMarked
package dev.headgate.server.startup;

import org.jspecify.annotations.NullMarked;
