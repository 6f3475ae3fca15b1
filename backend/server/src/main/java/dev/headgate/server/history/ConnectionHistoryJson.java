package dev.headgate.server.history;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last minutes of every connection of a pool, second by second.
 *
 * @param time the ends of the seconds, oldest first; a second that was not measured is missing
 * @param connections those that were open in any of them
 */
@Schema(name = "ConnectionHistory")
record ConnectionHistoryJson(List<Instant> time, List<Row> connections) {

    /**
     * One connection: entry {@code n} of every column belongs to entry {@code n} of {@code time}.
     *
     * @param p99Ms of the requests that ended in the second; 0 if none did, null if the connection was not open
     * @param busy the share of the second that was spent on requests, 0..1
     */
    @Schema(name = "ConnectionHistoryRow")
    record Row(String id, List<@Nullable Double> p99Ms, List<@Nullable Double> meanMs, List<@Nullable Double> busy) {}
}
