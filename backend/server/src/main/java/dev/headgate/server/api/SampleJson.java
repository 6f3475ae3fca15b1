package dev.headgate.server.api;

import dev.headgate.engine.meter.MergedWindow;
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

    public static SampleJson of(MergedWindow measured) {
        Latency latency = measured.latency();
        Latency waits = measured.waits();
        return new SampleJson(
                Millis.whole(measured.nanos()),
                latency.count(),
                Millis.mean(latency),
                Millis.least(latency),
                Millis.greatest(latency),
                Millis.percentile(latency, 50),
                Millis.percentile(latency, 95),
                Millis.percentile(latency, 99),
                Millis.rate(measured.perSecond(latency.count())),
                Millis.percentile(waits, 99),
                Millis.greatest(waits),
                Millis.rate(measured.perSecond(measured.errors())),
                Millis.rate(measured.perSecond(measured.refused())),
                Millis.rate(measured.perSecond(measured.arrivals())));
    }
}
