package dev.headgate.server.api;

import dev.headgate.engine.governor.PoolStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something a person should look at.
 *
 * @param code "refusing", "at-ceiling", "at-rate", "no-answer", "cap-unattainable", "degraded", "unreachable", "budget-exhausted",
 *     "ledger-differs", "paused", "draining", "wire-stalled", "store-away", "thread-failed", "heap-full", "convoy", or a policy's own
 * @param label one to three words
 * @param message what its condition was when it was last seen, without a full stop; "until 12 s ago" may follow if {@code until} is
 *     given, else "for 2 min"
 * @param detail what else was known then; empty where nothing was
 * @param since when its condition began
 * @param until when it ended, if it is over: its condition came once and does not hold now; else null
 * @param reach what it concerns
 * @param times how often its condition has come since then
 * @param clearing when its condition was last seen, if it was not within the last second; the alarm ends if it stays away for some seconds
 */
@Schema(name = "Alarm")
public record AlarmJson(
        String code,
        String label,
        String message,
        String detail,
        Instant since,
        @Nullable Instant until,

        @Schema(allowableValues = {"notice", "warning", "critical"})
        String severity,

        @Schema(allowableValues = {"domain", "database", "service"})
        String reach,

        int times,
        @Nullable Instant clearing) {

    public static AlarmJson of(PoolStatus.RaisedAlarm alarm) {
        return new AlarmJson(
                alarm.code(),
                alarm.label(),
                alarm.sentence(),
                alarm.words().detail(),
                alarm.since(),
                alarm.until().orElse(null),
                alarm.severityNow().name().toLowerCase(Locale.ROOT),
                alarm.reach().name().toLowerCase(Locale.ROOT),
                alarm.times(),
                alarm.clearing().orElse(null));
    }
}
