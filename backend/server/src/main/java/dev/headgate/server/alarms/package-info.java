/** Alarms for conditions that the engine cannot see, raised on the affected pools. */
@NullMarked
package dev.headgate.server.alarms;

import org.jspecify.annotations.NullMarked;
