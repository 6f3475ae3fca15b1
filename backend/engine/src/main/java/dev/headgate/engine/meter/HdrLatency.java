package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.IntCountsHistogram;
import org.jspecify.annotations.Nullable;

/**
 * A latency distribution over an HdrHistogram of nanoseconds that no longer changes; one of {@value FewLatencies#MOST} values or fewer
 * has none ({@link FewLatencies}). Safe for several threads, because it calls only methods of the histogram that do not write.
 * {@code getMean}, {@code getStdDeviation} and {@code outputPercentileDistribution} do write: they use an iterator that belongs to the
 * histogram.
 */
public final class HdrLatency implements Latency {

    /** Shorter durations are recorded as this value. */
    static final long LOWEST_NANOS = 1_000;
    /** Longer durations are recorded as this value: one hour. */
    public static final long HIGHEST_NANOS = 3_600_000_000_000L;

    static final int SIGNIFICANT_DIGITS = 2;

    private static final HdrLatency NONE = new HdrLatency(newHistogram());

    private final AbstractHistogram histogram;

    /** NaN until first used. Threads that compute it at the same time get the same value. */
    private double mean = Double.NaN;

    private record Percentile(double percentile, long nanos) {}

    /** The governor asks for the same percentile at every step of a window. Threads may compute it twice, with one result. */
    private @Nullable Percentile lastAsked;

    private HdrLatency(AbstractHistogram histogram) {
        this.histogram = histogram;
    }

    public static Latency none() {
        return NONE;
    }

    /** Takes ownership of the histogram: the caller must not change it any more. */
    public static Latency of(AbstractHistogram histogram) {
        return ofFew(histogram).orElseGet(() -> new HdrLatency(histogram));
    }

    /** A distribution without the histogram, if that has so few values; empty if it has more. */
    private static Optional<Latency> ofFew(AbstractHistogram histogram) {
        long count = histogram.getTotalCount();
        if (count > FewLatencies.MOST) {
            return Optional.empty();
        }
        return Optional.of(count == 0 ? NONE : FewLatencies.of(histogram));
    }

    /**
     * A copy of one window's latencies, with no more room than the longest needs. The histogram may be reset and used again.
     *
     * @param recorded fewer than 2^31 values
     */
    public static Latency copyOf(Histogram recorded) {
        return ofFew(recorded).orElseGet(() -> {
            IntCountsHistogram copy = newWindowUpTo(recorded.getMaxValue());
            copy.add(recorded);
            return new HdrLatency(copy);
        });
    }

    /**
     * An empty histogram for one window of 100 ms, which grows as {@link #newSum} does. Its counts have four bytes instead of eight: the
     * governor makes and keeps many.
     */
    public static IntCountsHistogram newWindow() {
        return newWindowUpTo(0);
    }

    /** An empty histogram for the next window, with room for the values of the last one. */
    public static IntCountsHistogram newWindowLike(IntCountsHistogram last) {
        return newWindowUpTo(last.getMaxValue());
    }

    private static IntCountsHistogram newWindowUpTo(long nanos) {
        IntCountsHistogram window = new IntCountsHistogram(LOWEST_NANOS, highestOf(nanos), SIGNIFICANT_DIGITS);
        window.setAutoResize(true);
        return window;
    }

    /** The least range that a histogram can have is two units. */
    private static long highestOf(long nanos) {
        return Math.max(2 * LOWEST_NANOS, nanos);
    }

    /** An empty histogram to record into, with the range and precision of all of the engine's histograms. */
    public static Histogram newHistogram() {
        return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, SIGNIFICANT_DIGITS);
    }

    /**
     * An empty histogram to add others to. It grows with the largest of them, so it and its additions cost less than with the
     * range of one hour: latencies in a window are milliseconds.
     */
    public static Histogram newSum() {
        Histogram sum = new Histogram(LOWEST_NANOS, 2 * LOWEST_NANOS, SIGNIFICANT_DIGITS);
        sum.setAutoResize(true);
        return sum;
    }

    /** An empty histogram to add others to, with room for values up to {@code nanos}. */
    public static Histogram newSumUpTo(long nanos) {
        Histogram sum = new Histogram(LOWEST_NANOS, highestOf(nanos), SIGNIFICANT_DIGITS);
        sum.setAutoResize(true);
        return sum;
    }

    /** Takes one bucket of a distribution. */
    @FunctionalInterface
    public interface Bucket {

        /** @param nanos any value of the bucket */
        void holds(long nanos, long count);
    }

    /** Shows every bucket that is not empty, shortest durations first. */
    public static void eachBucket(Latency latency, Bucket each) {
        switch (latency) {
            case FewLatencies few -> few.eachBucket(each);
            case HdrLatency hdr -> {
                for (HistogramIterationValue value : hdr.histogram.recordedValues()) {
                    each.holds(value.getValueIteratedTo(), value.getCountAtValueIteratedTo());
                }
            }
            default -> passOver(latency);
        }
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

    /** As the histogram's own {@code getMean}, but with an iterator of this call. */
    private static double meanOf(AbstractHistogram histogram) {
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
        Percentile known = lastAsked;
        if (known == null || known.percentile() != percentile) {
            known = new Percentile(percentile, computed(percentile));
            lastAsked = known;
        }
        return known.nanos();
    }

    private long computed(double percentile) {
        if (count() == 0) {
            return 0;
        }
        long greatest = histogram.getValueAtPercentile(percentile);
        // 0 shares a bucket with values that are too short to be distinguished from it
        return histogram.lowestEquivalentValue(greatest) == 0 ? 0 : greatest;
    }

    @Override
    public Latency plus(Latency other) {
        return sum(List.of(this, other));
    }

    /** The sum of several distributions. Its mean follows from theirs, which costs less than to read it off the sum. */
    public static Latency sum(List<Latency> parts) {
        return sum(parts, Function.identity());
    }

    /** The same of what has one: of windows, say. */
    public static <T> Latency sum(List<T> parts, Function<? super T, Latency> of) {
        Latency last = NONE;
        int some = 0;
        long count = 0;
        long greatest = 0;
        double nanos = 0;
        for (T each : parts) {
            Latency part = of.apply(each);
            if (part.count() > 0) {
                last = part;
                some++;
                count += part.count();
                greatest = Math.max(greatest, part.maxNanos());
                nanos += part.meanNanos() * part.count();
            }
        }
        if (some < 2) {
            return last;
        }
        if (count <= FewLatencies.MOST) {
            return FewLatencies.sum((int) count, parts, of);
        }
        Histogram sum = newSumUpTo(greatest);
        for (T each : parts) {
            addTo(sum, of.apply(each));
        }
        HdrLatency all = new HdrLatency(sum);
        all.mean = nanos / count;
        return all;
    }

    /** Adds a distribution to a histogram of {@link #newHistogram()} or {@link #newSum()}. */
    public static void addTo(AbstractHistogram sum, Latency part) {
        switch (part) {
            case FewLatencies few -> few.addTo(sum);
            case HdrLatency hdr -> {
                if (hdr.count() > 0) {
                    sum.add(hdr.histogram);
                }
            }
            default -> passOver(part);
        }
    }

    /** A distribution of another kind adds nothing if it is empty, and cannot be added otherwise. */
    static void passOver(Latency other) {
        if (other.count() > 0) {
            throw new IllegalArgumentException("cannot merge with " + other.getClass());
        }
    }
}
