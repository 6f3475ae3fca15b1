package dev.headgate.server.api;

import dev.headgate.spi.Latency;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one pool since the client's last frame, merged as distributions.
 *
 * @param windowMs the time that was measured
 * @param count requests that ended in it; if it is 0, the latency figures are null
 * @param waitP99Ms null, like {@code waitMaxMs}, if no lease was given
 */
@Schema(name = "Sample")
public record SampleJson(
        long windowMs,
        long count,
        @Nullable Double meanMs,
        @Nullable Double minMs,
        @Nullable Double maxMs,
        @Nullable Double p50Ms,
        @Nullable Double p95Ms,
        @Nullable Double p99Ms,
        double perSecond,
        @Nullable Double waitP99Ms,
        @Nullable Double waitMaxMs,
        double errorsPerSecond,
        double refusedPerSecond,
        double arrivalsPerSecond) {

    /** The sample of a period of {@code nanos} with these counts. */
    public static SampleJson of(long nanos, Latency latency, Latency waits, long errors, long refused, long arrivals) {
        return new SampleJson(
                Millis.whole(nanos),
                latency.count(),
                measured(latency, latency.meanNanos()),
                measured(latency, (double) latency.minNanos()),
                measured(latency, (double) latency.maxNanos()),
                measured(latency, (double) latency.percentileNanos(50)),
                measured(latency, (double) latency.percentileNanos(95)),
                measured(latency, (double) latency.percentileNanos(99)),
                Millis.perSecond(latency.count(), nanos),
                measured(waits, (double) waits.percentileNanos(99)),
                measured(waits, (double) waits.maxNanos()),
                Millis.perSecond(errors, nanos),
                Millis.perSecond(refused, nanos),
                Millis.perSecond(arrivals, nanos));
    }

    private static @Nullable Double measured(Latency of, double nanos) {
        return of.count() == 0 ? null : (Double) Millis.of(nanos);
    }
}
