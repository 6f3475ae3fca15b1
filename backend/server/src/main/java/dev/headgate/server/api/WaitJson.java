package dev.headgate.server.api;

import dev.headgate.engine.meter.LatencySummary;
import io.swagger.v3.oas.annotations.media.Schema;

/** The waits for leases over a window. Requests that did not wait count as 0. */
@Schema(name = "Wait")
public record WaitJson(
        long windowMs,
        long count,
        double meanMs,
        double minMs,
        double maxMs,
        double p50Ms,
        double p95Ms,
        double p99Ms) {

    public static WaitJson of(LatencySummary summary) {
        return new WaitJson(
                Millis.whole(summary.windowNanos()),
                summary.count(),
                Millis.of(summary.meanNanos()),
                Millis.of(summary.minNanos()),
                Millis.of(summary.maxNanos()),
                Millis.of(summary.p50Nanos()),
                Millis.of(summary.p95Nanos()),
                Millis.of(summary.p99Nanos()));
    }
}
