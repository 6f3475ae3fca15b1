package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;

/**
 * The figures of a distribution, for showing. All durations in nanoseconds, all 0 where {@code count} is 0.
 *
 * @param windowNanos the length of the interval that was measured; 0 where it is the whole life of the thing measured
 */
public record LatencySummary(
        long windowNanos,
        long count,
        double meanNanos,
        long minNanos,
        long maxNanos,
        long p50Nanos,
        long p95Nanos,
        long p99Nanos) {

    private static final LatencySummary NONE = new LatencySummary(0, 0, 0, 0, 0, 0, 0, 0);

    public static LatencySummary none() {
        return NONE;
    }

    public static LatencySummary of(Latency latency, long windowNanos) {
        return new LatencySummary(
                windowNanos,
                latency.count(),
                latency.meanNanos(),
                latency.minNanos(),
                latency.maxNanos(),
                latency.percentileNanos(50),
                latency.percentileNanos(95),
                latency.percentileNanos(99));
    }

    /** The share of the interval that was spent on what was measured, at most 1: one thing after another, as on a connection. */
    public double busy() {
        return windowNanos == 0 ? 0 : Math.min(1, count * meanNanos / windowNanos);
    }

    public double perSecond() {
        return windowNanos == 0 ? 0 : count * 1e9 / windowNanos;
    }
}
