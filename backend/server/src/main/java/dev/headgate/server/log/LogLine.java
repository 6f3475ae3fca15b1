package dev.headgate.server.log;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A line of the service's log.
 *
 * @param logger the class that wrote it, without its package
 * @param domain that it is about; null for none
 * @param message at most 4,000 characters
 * @param trace the beginning of the stack trace; null for none
 */
@Schema(name = "LogLine")
public record LogLine(
        String id,
        Instant time,

        @Schema(allowableValues = {"debug", "info", "warn", "error"})
        String level,

        String logger,
        String thread,
        @Nullable String domain,
        String message,
        @Nullable String trace) {

    /** What it takes in memory, about. */
    long bytes() {
        return 300 + 2L * (message.length() + thread.length() + (trace == null ? 0 : trace.length()));
    }
}
