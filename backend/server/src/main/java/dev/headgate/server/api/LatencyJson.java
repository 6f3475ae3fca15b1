package dev.headgate.server.api;

import dev.headgate.engine.meter.LatencySummary;
import io.swagger.v3.oas.annotations.media.Schema;

/** The latency of requests over a window. All figures are 0 if none ended in it. */
@Schema(name = "Latency")
public record LatencyJson(
        long windowMs,
        long count,
        double meanMs,
        double minMs,
        double maxMs,
        double p50Ms,
        double p95Ms,
        double p99Ms,
        double perSecond) {

    public static LatencyJson of(LatencySummary summary) {
        return new LatencyJson(
                Millis.whole(summary.windowNanos()),
                summary.count(),
                Millis.of(summary.meanNanos()),
                Millis.of(summary.minNanos()),
                Millis.of(summary.maxNanos()),
                Millis.of(summary.p50Nanos()),
                Millis.of(summary.p95Nanos()),
                Millis.of(summary.p99Nanos()),
                Millis.rate(summary.perSecond()));
    }
}
