package dev.headgate.testkit;

import dev.headgate.spi.Latency;
import java.util.Arrays;
import java.util.stream.LongStream;

/** A distribution that holds each of its durations, for windows that a test makes up. Merges with its own kind alone. */
public final class Durations implements Latency {

    private static final long HIGHEST_NANOS = 3_600_000_000_000L;
    private static final Durations NONE = new Durations(new long[0]);

    private final long[] sorted;

    private Durations(long[] sorted) {
        this.sorted = sorted;
    }

    /** No duration at all. */
    public static Latency none() {
        return NONE;
    }

    /** As in the meter, negative durations count as 0 and those of more than an hour as an hour. */
    public static Latency ofNanos(long... nanos) {
        return new Durations(LongStream.of(nanos)
                .map(each -> Math.clamp(each, 0, HIGHEST_NANOS))
                .sorted()
                .toArray());
    }

    @Override
    public long count() {
        return sorted.length;
    }

    @Override
    public double meanNanos() {
        return Arrays.stream(sorted).average().orElse(0);
    }

    @Override
    public long minNanos() {
        return sorted.length == 0 ? 0 : sorted[0];
    }

    @Override
    public long maxNanos() {
        return sorted.length == 0 ? 0 : sorted[sorted.length - 1];
    }

    @Override
    public long percentileNanos(double percentile) {
        if (sorted.length == 0) {
            return 0;
        }
        int rank = (int) Math.ceil(percentile / 100 * sorted.length);
        return sorted[Math.clamp(rank, 1, sorted.length) - 1];
    }

    @Override
    public Latency plus(Latency other) {
        if (other.count() == 0) {
            return this;
        }
        if (sorted.length == 0) {
            return other;
        }
        if (!(other instanceof Durations durations)) {
            throw new IllegalArgumentException("cannot merge with " + other.getClass());
        }
        return ofNanos(LongStream.concat(LongStream.of(sorted), LongStream.of(durations.sorted))
                .toArray());
    }
}
