package dev.headgate.server.api;

import dev.headgate.engine.governor.PoolStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Locale;

/**
 * Something a person should look at.
 *
 * @param code "at-ceiling", "at-rate", "no-answer", "cap-unattainable", "degraded", "unreachable", "budget-exhausted",
 *     "ledger-differs", "paused", "draining", "wire-stalled", "thread-failed", "heap-full", or a policy's own
 */
@Schema(name = "Alarm")
public record AlarmJson(
        String code,
        String message,
        Instant since,
        @Schema(allowableValues = {"warning", "critical"}) String severity) {

    public static AlarmJson of(PoolStatus.RaisedAlarm alarm) {
        return new AlarmJson(
                alarm.code(),
                alarm.message(),
                alarm.since(),
                alarm.severity().name().toLowerCase(Locale.ROOT));
    }
}
