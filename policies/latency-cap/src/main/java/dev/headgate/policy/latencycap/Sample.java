package dev.headgate.policy.latencycap;

import dev.headgate.spi.Latency;

/**
 * A measured distribution, as far as the policy looks at it: its body, and what lies above it in multiples of the body.
 *
 * <p>The body is the mean of the fastest three quarters. All requests slow down together under load, so it tells as much of the load
 * as the mean does. Unlike the mean it hardly moves with the few requests that are slow by themselves, whatever the shape of the
 * tail; and unlike a percentile it has no step where a distribution has two modes.
 */
final class Sample {

    private static final double BODY = 75;
    private static final int BODY_SLICES = 8;
    /** The slowest tenth is read in slices of half a percent, the slowest fortieth in slices of half of that. */
    private static final double COARSE_FROM = 90;

    private static final double COARSE = 0.5;

    private static final double FINE_FROM = 97.5;
    private static final double FINE = 0.25;

    private final Latency latency;
    private final double bodyNanos;

    Sample(Latency latency) {
        this.latency = latency;
        double sum = 0;
        double slice = BODY / BODY_SLICES;
        for (int i = 0; i < BODY_SLICES; i++) {
            sum += latency.percentileNanos((i + 0.5) * slice);
        }
        this.bodyNanos = Math.max(1, sum / BODY_SLICES);
    }

    /** Takes a slice of a distribution. */
    interface Slices {

        /** @param times the slice's latency in multiples of the body */
        void slice(double times, double requests);
    }

    long count() {
        return latency.count();
    }

    double bodyNanos() {
        return bodyNanos;
    }

    /** The mean, in multiples of the body. */
    double meanTimes() {
        return Math.max(1, latency.meanNanos()) / bodyNanos;
    }

    /** Shows the whole distribution: the lower nine tenths in one, what is above them in thin slices. */
    void each(Slices slices) {
        slices.slice(1, count() * COARSE_FROM / 100);
        double width = COARSE;
        for (double from = COARSE_FROM; from < 100; from += width) {
            width = from < FINE_FROM ? COARSE : FINE;
            slices.slice(latency.percentileNanos(from + width / 2) / bodyNanos, count() * width / 100);
        }
    }
}
