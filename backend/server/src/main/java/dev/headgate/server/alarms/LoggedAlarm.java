package dev.headgate.server.alarms;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An alarm of the log.
 *
 * @param reach what it concerns
 * @param database of the domain, or the database itself; null for an alarm of the service
 * @param domain null for an alarm of a database or of the service
 * @param domains of an alarm of the service that stands on some domains only: these, in order of their names; else none
 * @param message the last one, in the past where it is over, without a full stop
 * @param detail what else was known then; empty where nothing was
 * @param severity of an open one that of now, of a past one the highest; a notice needs nobody
 * @param since when its condition began
 * @param lastSeen when its condition last held
 * @param clearing the same, while the condition is gone and the alarm waits whether it returns; else null
 * @param cleared when it ended; null while it is open
 * @param cutOff whether Headgate ended before the alarm did, and did not find its condition again
 * @param times how often the condition came
 * @param acknowledged who has seen it; null if nobody has said so
 * @param silenced null if it is not silenced now, or was not when it ended
 */
@Schema(name = "LoggedAlarm")
record LoggedAlarm(
        String id,

        @Schema(allowableValues = {"domain", "database", "service"})
        String reach,

        @Nullable String database,
        @Nullable String domain,
        List<String> domains,
        String code,
        String message,
        String detail,

        @Schema(allowableValues = {"notice", "warning", "critical"})
        String severity,

        Instant since,
        Instant lastSeen,
        @Nullable Instant clearing,
        @Nullable Instant cleared,
        boolean cutOff,
        int times,
        @Nullable Acknowledged acknowledged,
        @Nullable Silenced silenced) {

    /** Somebody has seen the alarm. */
    @Schema(name = "Acknowledged")
    record Acknowledged(
            Instant time, String actor, @Nullable String reason) {}

    /** Nobody wants to be told of the alarm for some time, nor of the same again. */
    @Schema(name = "Silenced")
    record Silenced(Instant until, String actor, String reason) {}
}
