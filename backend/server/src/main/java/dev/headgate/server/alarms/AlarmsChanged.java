package dev.headgate.server.alarms;

import java.time.Instant;

/**
 * The alarm log has changed: an alarm was raised, came again, ended, or was acknowledged or silenced. Published at most four times a
 * second, on the feed's thread or on the request's, after the log has the change.
 */
public record AlarmsChanged(Instant time) {}
