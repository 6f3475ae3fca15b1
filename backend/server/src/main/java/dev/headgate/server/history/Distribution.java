package dev.headgate.server.history;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Latency;
import java.util.Arrays;

/**
 * A distribution of durations as the history keeps it: the buckets that are not empty. Takes 12 bytes for each of them, where a
 * histogram takes kilobytes. Immutable.
 */
final class Distribution {

    static final Distribution NONE = new Distribution(new int[0], new long[0]);

    private final int[] buckets;
    private final long[] counts;

    /**
     * Takes ownership of the arrays.
     *
     * @param buckets by {@link Buckets}, ascending
     * @param counts of each, more than 0
     */
    Distribution(int[] buckets, long[] counts) {
        this.buckets = buckets;
        this.counts = counts;
    }

    static Distribution of(Latency latency) {
        if (latency.count() == 0) {
            return NONE;
        }
        Builder builder = new Builder();
        HdrLatency.eachBucket(latency, (nanos, count) -> builder.add(Buckets.number(nanos), count));
        return builder.done();
    }

    private static final class Builder {
        private int[] buckets = new int[32];
        private long[] counts = new long[32];
        private int size;

        void add(int bucket, long count) {
            if (size == buckets.length) {
                buckets = Arrays.copyOf(buckets, 2 * size);
                counts = Arrays.copyOf(counts, 2 * size);
            }
            buckets[size] = bucket;
            counts[size++] = count;
        }

        Distribution done() {
            return new Distribution(Arrays.copyOf(buckets, size), Arrays.copyOf(counts, size));
        }
    }

    /** How many buckets are not empty. */
    int size() {
        return buckets.length;
    }

    int bucket(int place) {
        return buckets[place];
    }

    long count(int place) {
        return counts[place];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Distribution that
                && Arrays.equals(buckets, that.buckets)
                && Arrays.equals(counts, that.counts);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(buckets) + Arrays.hashCode(counts);
    }

    @Override
    public String toString() {
        return Arrays.stream(counts).sum() + " durations in " + buckets.length + " buckets";
    }
}
