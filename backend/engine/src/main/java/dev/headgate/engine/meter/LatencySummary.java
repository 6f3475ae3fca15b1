package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;

/**
 * The figures of a distribution, for display. All durations are in nanoseconds; all are 0 if {@code count} is 0.
 *
 * @param windowNanos the length of the measured interval; 0 if it is the whole life of the connection or pool
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

    /** The busy share of the interval, at most 1, for requests that run one after the other, as on a connection. */
    public double busy() {
        return windowNanos == 0 ? 0 : Math.min(1, count * meanNanos / windowNanos);
    }

    public double perSecond() {
        return windowNanos == 0 ? 0 : count * 1e9 / windowNanos;
    }
}
