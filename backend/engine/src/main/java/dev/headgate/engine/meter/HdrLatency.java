package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;
import org.HdrHistogram.Histogram;

/** A latency distribution over an HdrHistogram of nanoseconds that nobody changes any more. */
public final class HdrLatency implements Latency {

    /** Shorter durations are recorded as this. */
    static final long LOWEST_NANOS = 1_000;
    /** Longer durations are recorded as this: one hour. */
    static final long HIGHEST_NANOS = 3_600_000_000_000L;

    static final int SIGNIFICANT_DIGITS = 2;

    private static final HdrLatency NONE = new HdrLatency(newHistogram());

    private final Histogram histogram;

    private HdrLatency(Histogram histogram) {
        this.histogram = histogram;
    }

    public static Latency none() {
        return NONE;
    }

    /** Takes the histogram over: the caller must not change it any more. */
    public static Latency of(Histogram histogram) {
        return histogram.getTotalCount() == 0 ? NONE : new HdrLatency(histogram);
    }

    /** An empty histogram with the range and precision that all of the engine's share, so that they merge fast. */
    public static Histogram newHistogram() {
        return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, SIGNIFICANT_DIGITS);
    }

    static long clamp(long nanos) {
        return Math.max(0, Math.min(nanos, HIGHEST_NANOS));
    }

    @Override
    public long count() {
        return histogram.getTotalCount();
    }

    @Override
    public double meanNanos() {
        return count() == 0 ? 0 : histogram.getMean();
    }

    @Override
    public long minNanos() {
        return count() == 0 ? 0 : histogram.getMinValue();
    }

    @Override
    public long maxNanos() {
        return histogram.getMaxValue();
    }

    @Override
    public long percentileNanos(double percentile) {
        return count() == 0 ? 0 : histogram.getValueAtPercentile(percentile);
    }

    @Override
    public Latency plus(Latency other) {
        if (other.count() == 0) {
            return this;
        }
        if (count() == 0) {
            return other;
        }
        if (!(other instanceof HdrLatency hdr)) {
            throw new IllegalArgumentException("cannot merge with " + other.getClass());
        }
        Histogram sum = histogram.copy();
        sum.add(hdr.histogram);
        return new HdrLatency(sum);
    }

    /** Adds this distribution to a histogram of {@link #newHistogram()}. */
    public void addTo(Histogram sum) {
        sum.add(histogram);
    }
}
