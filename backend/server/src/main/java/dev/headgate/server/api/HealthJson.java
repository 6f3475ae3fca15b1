package dev.headgate.server.api;

import dev.headgate.engine.governor.Health;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The state of a pool or a database in one word, one sentence and one severity. Whatever shows a state shows this one.
 *
 * @param code "fine", "idle", "refusing", or the code of the alarm that matters most
 * @param label one to three words
 * @param sentence without a full stop; "until 12 s ago" may follow if {@code until} is given, or else "for 2 min" if {@code since} is
 * @param since when the state began; null for states that are no alarms
 * @param until when it ended, of one that is over: a notice; else null
 * @param reach whose state it is: all domains of a database or of the service may share one
 */
@Schema(name = "Health")
public record HealthJson(
        String code,
        String label,

        @Schema(allowableValues = {"fine", "notice", "warning", "critical"})
        String severity,

        String sentence,
        @Nullable Instant since,
        @Nullable Instant until,

        @Schema(allowableValues = {"domain", "database", "service"})
        String reach) {

    static HealthJson of(Health health) {
        return new HealthJson(
                health.code(),
                health.label(),
                health.severity().name().toLowerCase(Locale.ROOT),
                health.sentence(),
                health.since().orElse(null),
                health.until().orElse(null),
                health.reach().name().toLowerCase(Locale.ROOT));
    }
}
