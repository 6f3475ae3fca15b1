package dev.headgate.server.api;

import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.spi.Latency;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One domain's past, one row per step, oldest first, by column.
 *
 * @param time the end of each row
 * @param columns one value per row in each; null if nothing was measured
 * @param total the whole range as one; null where minutes were asked for
 */
@Schema(name = "History")
public record HistoryJson(
        long stepMs,
        List<Instant> time,
        Columns columns,
        List<Marker> markers,
        @Nullable Total total) {

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
            List<@Nullable Double> refusedPerSecond,
            List<@Nullable Double> leasesPerSecond) {}

    /**
     * What a range was. Its percentiles are those of all its requests together.
     *
     * @param from the begin of the range that is answered: what was asked for, as far back as it is kept
     * @param measuredMs the time that was measured; less than the range where there are gaps, and never more
     * @param requests that ended, with or without an error
     * @param refused requests for a lease that failed, were rejected or timed out
     * @param arrivals requests for a lease
     * @param inUse connections on lease, averaged over the measured time
     * @param waiting the most requests that waited at once
     * @param meanMs null, as are the other latency figures, where no request ended
     * @param waitP99Ms null, as are the other waits, where no lease was given
     * @param perSecond requests in a second of the measured time; null where nothing was measured
     */
    @Schema(name = "HistoryTotal")
    public record Total(
            Instant from,
            Instant to,
            long measuredMs,
            long requests,
            long errors,
            long refused,
            long arrivals,
            double inUse,
            double waiting,
            @Nullable Double meanMs,
            @Nullable Double minMs,
            @Nullable Double p50Ms,
            @Nullable Double p95Ms,
            @Nullable Double p99Ms,
            @Nullable Double maxMs,
            @Nullable Double waitP50Ms,
            @Nullable Double waitP99Ms,
            @Nullable Double waitMaxMs,
            @Nullable Double perSecond) {

        public static Total of(Instant from, Instant to, MergedWindow measured) {
            Latency latency = measured.latency();
            Latency waits = measured.waits();
            // the first window after a stop of the process began long before its second, perhaps before the range
            long within = Math.min(measured.nanos(), from.until(to, ChronoUnit.NANOS));
            return new Total(
                    from,
                    to,
                    Millis.whole(within),
                    latency.count(),
                    measured.errors(),
                    measured.refused(),
                    measured.arrivals(),
                    Millis.rate(measured.inUse()),
                    measured.mostWaiting(),
                    Millis.mean(latency),
                    Millis.least(latency),
                    Millis.percentile(latency, 50),
                    Millis.percentile(latency, 95),
                    Millis.percentile(latency, 99),
                    Millis.greatest(latency),
                    Millis.percentile(waits, 50),
                    Millis.percentile(waits, 99),
                    Millis.greatest(waits),
                    measured.nanos() == 0 ? null : (Double) Millis.rate(measured.perSecond(latency.count())));
        }
    }

    /** A revision of the policy set took effect. */
    @Schema(name = "Marker")
    public record Marker(Instant time, long revision, String actor) {}

    /** The history of a domain without measurements. */
    public static HistoryJson none() {
        List<@Nullable Double> no = List.of();
        return new HistoryJson(
                1_000, List.of(), new Columns(no, no, no, no, no, no, no, no, no, no, no, no, no, no), List.of(), null);
    }
}
