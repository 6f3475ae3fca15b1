package dev.headgate.testkit;

import dev.headgate.spi.Latency;
import org.HdrHistogram.Histogram;

/**
 * A {@link Latency} of durations that a test or the simulator made up, kept to two significant digits up to an hour, as
 * the meter keeps its own.
 */
public final class Durations implements Latency {

    private static final long HIGHEST_NANOS = 3_600_000_000_000L;
    private static final Durations NONE = new Durations(histogram());

    private final Histogram histogram;

    private Durations(Histogram histogram) {
        this.histogram = histogram;
    }

    /** No duration at all. */
    public static Durations none() {
        return NONE;
    }

    public static Durations ofNanos(long... nanos) {
        Recorder recorder = new Recorder();
        for (long each : nanos) {
            recorder.record(each);
        }
        return recorder.take();
    }

    @Override
    public long count() {
        return histogram.getTotalCount();
    }

    @Override
    public double meanNanos() {
        return histogram.getMean();
    }

    @Override
    public long minNanos() {
        return count() == 0 ? 0 : histogram.getMinValue();
    }

    @Override
    public long maxNanos() {
        return count() == 0 ? 0 : histogram.getMaxValue();
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
        Histogram sum = histogram.copy();
        sum.add(((Durations) other).histogram);
        return new Durations(sum);
    }

    private static Histogram histogram() {
        return new Histogram(1_000, HIGHEST_NANOS, 2);
    }

    /** Collects durations until they are taken. */
    public static final class Recorder {
        private Histogram collected = histogram();

        public void record(long nanos) {
            collected.recordValue(Math.clamp(nanos, 0, HIGHEST_NANOS));
        }

        /** What was recorded since it was last taken. */
        public Durations take() {
            if (collected.getTotalCount() == 0) {
                return NONE;
            }
            Durations taken = new Durations(collected);
            collected = histogram();
            return taken;
        }
    }
}
