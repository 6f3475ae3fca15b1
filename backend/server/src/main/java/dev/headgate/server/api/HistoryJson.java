package dev.headgate.server.api;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One domain's recent past, one row per step, oldest first, by column.
 *
 * @param time the end of each row
 * @param columns one value per row in each; null if nothing was measured
 */
@Schema(name = "History")
public record HistoryJson(long stepMs, List<Instant> time, Columns columns, List<Marker> markers) {

    /** The figures of {@link Second}, as columns. */
    @Schema(name = "HistoryColumns")
    public record Columns(
            List<@Nullable Double> inUse,
            List<@Nullable Double> size,
            List<@Nullable Double> waiting,
            List<@Nullable Double> floor,
            List<@Nullable Double> ceiling,
            List<@Nullable Double> p50Ms,
            List<@Nullable Double> p95Ms,
            List<@Nullable Double> p99Ms,
            List<@Nullable Double> meanMs,
            List<@Nullable Double> waitP99Ms,
            List<@Nullable Double> perSecond,
            List<@Nullable Double> errorsPerSecond,
            List<@Nullable Double> refusedPerSecond) {}

    /** A revision of the policy set took effect. */
    @Schema(name = "Marker")
    public record Marker(Instant time, long revision, String actor) {}

    /** The history of a domain without measurements. */
    public static HistoryJson none() {
        List<@Nullable Double> no = List.of();
        return new HistoryJson(
                1_000, List.of(), new Columns(no, no, no, no, no, no, no, no, no, no, no, no, no), List.of());
    }
}
