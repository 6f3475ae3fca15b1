/**
 * The alarms. {@code ServiceAlarms} raises those for conditions that the engine cannot see, on the affected pools. {@code AlarmLog}
 * keeps every alarm of every pool in the control store, where people acknowledge and silence them.
 */
@NullMarked
package dev.headgate.server.alarms;

import org.jspecify.annotations.NullMarked;
