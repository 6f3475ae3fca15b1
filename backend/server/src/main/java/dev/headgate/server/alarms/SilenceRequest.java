package dev.headgate.server.alarms;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.hibernate.validator.constraints.Range;

/**
 * An alarm should not count for some time.
 *
 * @param reason for whoever wonders why it is silent
 * @param forMinutes at most 30 days
 */
@Schema(name = "AlarmSilence")
record SilenceRequest(
        @NotNull(message = "is missing")
        @Size(min = 1, max = 500, message = "must have 1 to 500 characters")
        @Pattern(regexp = "(?s).*\\S.*", message = "must say something")
        String reason,

        @NotNull(message = "is missing") @Range(min = 1, max = 43_200, message = "must be a number of minutes")
        Integer forMinutes) {}
