package dev.headgate.server.alarms;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of alarms, open ones first, newest first.
 *
 * @param nextCursor the start of the next page; null on the last
 * @param unattended open alarms, of all, that nobody has acknowledged or silenced
 * @param lost alarms that could not be stored since the service started
 */
@Schema(name = "AlarmPage")
record AlarmPage(List<LoggedAlarm> items, @Nullable String nextCursor, int unattended, long lost) {}
