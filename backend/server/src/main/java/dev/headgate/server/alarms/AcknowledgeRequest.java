package dev.headgate.server.alarms;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/** Somebody has seen an alarm, and may say what they make of it. */
@Schema(name = "AlarmAcknowledge")
record AcknowledgeRequest(
        @Size(min = 1, max = 500, message = "must have 1 to 500 characters") @Nullable
        String reason) {}
