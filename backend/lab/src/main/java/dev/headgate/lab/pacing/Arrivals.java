package dev.headgate.lab.pacing;

import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The arrival times of a Poisson process whose rate follows a {@link Tide}, by thinning: candidates are drawn at the
 * highest possible rate, and each is kept with the probability (rate at its time) / (highest rate).
 *
 * <p>Rate and tide may change between two draws. The process has no memory, so a time that was already drawn may be
 * discarded and drawn again from now without any bias. Not safe for use by several threads.
 */
public final class Arrivals {

    private final RandomGenerator random;
    private double ratePerSecond;
    private Optional<Tide> tide;

    /** @param tide empty for a constant rate */
    public Arrivals(double ratePerSecond, Optional<Tide> tide, RandomGenerator random) {
        this.ratePerSecond = ratePerSecond;
        this.tide = tide;
        this.random = random;
    }

    public void change(double ratePerSecond, Optional<Tide> tide) {
        this.ratePerSecond = ratePerSecond;
        this.tide = tide;
    }

    /**
     * Returns the first arrival after a time. Both are in nanoseconds since the load's origin.
     *
     * @return later than {@code afterNanos} or, where two arrivals share a nanosecond, equal to it
     */
    public long next(long afterNanos) {
        double peak = tide.map(Tide::peak).orElse(1.0);
        double meanGapNanos = 1e9 / (ratePerSecond * peak);
        long time = afterNanos;
        while (true) {
            time += Math.round(meanGapNanos * random.nextExponential());
            if (tide.isEmpty() || random.nextDouble() * peak < tide.get().at(time)) {
                return time;
            }
        }
    }
}
