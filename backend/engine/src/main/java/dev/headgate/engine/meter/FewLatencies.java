package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A latency distribution of at most {@value #MOST} values, which are kept themselves. It answers as an HdrHistogram of them does: by the
 * ends of their buckets. A histogram of one value takes two kilobytes, of two iterators and many counts, and thousands of domains with
 * a request now and then have one in each window. And what a histogram is asked for it looks up among all its counts, of which a few
 * values leave nearly all empty: a mean, say, or the sum of the windows of a second. Immutable.
 */
final class FewLatencies implements Latency {

    static final int MOST = 64;

    /** For the bounds of buckets, which all histograms of the engine share. Never written. */
    private static final Histogram SCALE = HdrLatency.newHistogram();

    /** Ascending. Each is the greatest value of its bucket; of the bucket that begins at 0 it is 0 if nothing but 0 was recorded. */
    private final long[] nanos;

    /** Every sum that these values are part of asks for it. */
    private final double mean;

    private FewLatencies(long[] nanos) {
        this.nanos = nanos;
        double sum = 0;
        for (long each : nanos) {
            sum += SCALE.medianEquivalentValue(each);
        }
        mean = sum / nanos.length;
    }

    /** @param recorded one to {@value #MOST} values; may be used again */
    static FewLatencies of(AbstractHistogram recorded) {
        long greatest = recorded.getMaxValue();
        long[] nanos = new long[(int) recorded.getTotalCount()];
        int from = 0;
        for (HistogramIterationValue bucket : recorded.recordedValues()) {
            int to = from + (int) bucket.getCountAtValueIteratedTo();
            Arrays.fill(nanos, from, to, Math.min(bucket.getValueIteratedTo(), greatest));
            from = to;
        }
        return new FewLatencies(nanos);
    }

    /** @param count of all parts together, at most {@value #MOST} */
    static <T> FewLatencies sum(int count, List<T> parts, Function<? super T, Latency> of) {
        long[] nanos = new long[count];
        int from = 0;
        for (T each : parts) {
            Latency part = of.apply(each);
            if (part instanceof FewLatencies few) {
                System.arraycopy(few.nanos, 0, nanos, from, few.nanos.length);
                from += few.nanos.length;
            } else {
                HdrLatency.passOver(part);
            }
        }
        Arrays.sort(nanos);
        int ofFirst = 0;
        while (ofFirst < count && SCALE.lowestEquivalentValue(nanos[ofFirst]) == 0) {
            ofFirst++;
        }
        Arrays.fill(nanos, 0, ofFirst, ofFirst == 0 ? 0 : nanos[ofFirst - 1]);
        return new FewLatencies(nanos);
    }

    /** As {@link HdrLatency#eachBucket}. */
    void eachBucket(HdrLatency.Bucket each) {
        for (int from = 0; from < nanos.length; ) {
            int to = from + 1;
            while (to < nanos.length && nanos[to] == nanos[from]) {
                to++;
            }
            each.holds(nanos[from], to - from);
            from = to;
        }
    }

    void addTo(AbstractHistogram sum) {
        for (long each : nanos) {
            sum.recordValue(each);
        }
    }

    @Override
    public long count() {
        return nanos.length;
    }

    @Override
    public double meanNanos() {
        return mean;
    }

    @Override
    public long minNanos() {
        return SCALE.lowestEquivalentValue(nanos[0]);
    }

    @Override
    public long maxNanos() {
        return nanos[nanos.length - 1];
    }

    @Override
    public long percentileNanos(double percentile) {
        double asked = Math.clamp(Math.nextDown(percentile), 0, 100);
        int rank = (int) Math.max(1, Math.ceil(asked * nanos.length / 100));
        long lowest = SCALE.lowestEquivalentValue(nanos[rank - 1]);
        return percentile == 0 || lowest == 0 ? lowest : nanos[rank - 1];
    }

    @Override
    public Latency plus(Latency other) {
        return HdrLatency.sum(List.of(this, other));
    }
}
