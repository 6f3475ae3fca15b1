package dev.headgate.server.history;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the past of every connection of a pool.
 *
 * @param stepMs the length of a column
 * @param time the ends of the columns, oldest first; one in which nothing was measured is missing
 * @param connections those that were open in any of them. Names begin anew when the service starts
 * @param leftOut how many more connections there were. Those that were seen last are there
 */
@Schema(name = "ConnectionHistory")
record ConnectionHistoryJson(long stepMs, List<Instant> time, List<Row> connections, int leftOut) {

    /**
     * One connection: entry {@code n} of every column belongs to entry {@code n} of {@code time}.
     *
     * @param p99Ms of the requests that ended in its worst second; 0 if none did, null if the connection was not open
     * @param meanMs of all requests that ended
     * @param busy the share of the time that was spent on requests, 0..1
     * @param requests that ended
     */
    @Schema(name = "ConnectionHistoryRow")
    record Row(
            String id,
            List<@Nullable Double> p99Ms,
            List<@Nullable Double> meanMs,
            List<@Nullable Double> busy,
            List<@Nullable Long> requests) {}
}
