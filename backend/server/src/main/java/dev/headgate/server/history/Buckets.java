package dev.headgate.server.history;

/**
 * The buckets of the engine's histograms by number: {@value #HALF} to each doubling of the duration from 131 µs on, and of 512 ns
 * below. Numbers are stored, so they never change. A test compares them with HdrHistogram's buckets.
 */
final class Buckets {

    /** How many there are, up to an hour. */
    static final int COUNT = 3_456;

    private static final int HALF_BITS = 7;
    private static final int HALF = 1 << HALF_BITS;
    private static final int UNIT_BITS = 9;
    private static final long FIRST_DOUBLING = ((2L * HALF) << UNIT_BITS) - 1;

    private Buckets() {}

    /** The bucket of a duration. */
    static int number(long nanos) {
        int doublings = Long.SIZE - Long.numberOfLeadingZeros(nanos | FIRST_DOUBLING) - HALF_BITS - 1 - UNIT_BITS;
        int within = (int) (nanos >>> (doublings + UNIT_BITS));
        return doublings * HALF + within;
    }

    /** The shortest duration of a bucket. */
    static long shortestNanos(int number) {
        if (number < 2 * HALF) {
            return (long) number << UNIT_BITS;
        }
        int doublings = number / HALF - 1;
        return (long) (number - doublings * HALF) << (doublings + UNIT_BITS);
    }
}
