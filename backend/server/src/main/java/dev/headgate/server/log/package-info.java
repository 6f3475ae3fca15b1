/** The service's own log: its last lines are kept in memory, so that an operator can read them, and those of one domain. */
@NullMarked
package dev.headgate.server.log;

import org.jspecify.annotations.NullMarked;
