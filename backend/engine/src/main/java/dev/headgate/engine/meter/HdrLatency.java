package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A latency distribution over an HdrHistogram of nanoseconds that nobody changes any more. Safe for use by several threads:
 * of the histogram it calls only what reads. {@code getMean} does not, nor do {@code getStdDeviation} and
 * {@code outputPercentileDistribution}: they walk with an iterator that belongs to the histogram.
 */
public final class HdrLatency implements Latency {

    /** Shorter durations are recorded as this. */
    static final long LOWEST_NANOS = 1_000;
    /** Longer durations are recorded as this: one hour. */
    public static final long HIGHEST_NANOS = 3_600_000_000_000L;

    static final int SIGNIFICANT_DIGITS = 2;

    private static final HdrLatency NONE = new HdrLatency(newHistogram());

    private final Histogram histogram;

    /** NaN until it is first asked for; whoever works it out gets the same. */
    private double mean = Double.NaN;

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

    /** An empty histogram to record into, with the range and precision that all of the engine's share. */
    public static Histogram newHistogram() {
        return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, SIGNIFICANT_DIGITS);
    }

    /**
     * An empty histogram to add others to. It grows with the greatest of them, so that neither it nor an addition costs as
     * much as an hour's range would: a window's latencies are milliseconds.
     */
    public static Histogram newSum() {
        Histogram sum = new Histogram(LOWEST_NANOS, 2 * LOWEST_NANOS, SIGNIFICANT_DIGITS);
        sum.setAutoResize(true);
        return sum;
    }

    /** An empty histogram that need not grow for what another holds; growing costs more than recording. */
    public static Histogram newSumLike(Histogram other) {
        Histogram sum =
                new Histogram(LOWEST_NANOS, Math.max(2 * LOWEST_NANOS, other.getMaxValue()), SIGNIFICANT_DIGITS);
        sum.setAutoResize(true);
        return sum;
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
        double known = mean;
        if (Double.isNaN(known)) {
            known = count() == 0 ? 0 : meanOf(histogram);
            mean = known;
        }
        return known;
    }

    /** As the histogram's own {@code getMean}, with an iterator that is the caller's alone. */
    private static double meanOf(Histogram histogram) {
        double sum = 0;
        for (HistogramIterationValue value : histogram.recordedValues()) {
            sum += (double) histogram.medianEquivalentValue(value.getValueIteratedTo())
                    * value.getCountAtValueIteratedTo();
        }
        return sum / histogram.getTotalCount();
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
        long greatest = histogram.getValueAtPercentile(percentile);
        // what was recorded as 0 shares a bucket with what is too short to be told from it
        return count() == 0 || histogram.lowestEquivalentValue(greatest) == 0 ? 0 : greatest;
    }

    @Override
    public Latency plus(Latency other) {
        if (other.count() == 0) {
            return this;
        }
        if (count() == 0) {
            return other;
        }
        return sum(List.of(this, other));
    }

    /** All of them together. */
    public static Latency sum(List<Latency> parts) {
        Histogram sum = newSum();
        for (Latency part : parts) {
            addTo(sum, part);
        }
        return of(sum);
    }

    /** Adds a distribution to a histogram of {@link #newHistogram()} or {@link #newSum()}. */
    public static void addTo(Histogram sum, Latency part) {
        if (part.count() > 0) {
            hdr(part).addTo(sum);
        }
    }

    private static HdrLatency hdr(Latency latency) {
        if (latency instanceof HdrLatency hdr) {
            return hdr;
        }
        throw new IllegalArgumentException("cannot merge with " + latency.getClass());
    }

    /** Adds this distribution to a histogram of {@link #newHistogram()} or {@link #newSum()}. */
    public void addTo(Histogram sum) {
        sum.add(histogram);
    }
}
