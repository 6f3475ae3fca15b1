/** Alarms for what the engine cannot see, raised on the pools that it concerns. */
@NullMarked
package dev.headgate.server.alarms;

import org.jspecify.annotations.NullMarked;
