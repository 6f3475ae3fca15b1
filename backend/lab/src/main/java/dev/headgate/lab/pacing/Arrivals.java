package dev.headgate.lab.pacing;

import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The arrival times of a Poisson process whose rate follows a {@link Tide}, by thinning: candidates are drawn at the
 * highest rate there can be, and each is kept with the probability that the rate at its time has of that.
 *
 * <p>Rate and tide may be changed between two draws. Because the process has no memory, a time already drawn may be
 * thrown away and drawn again from now; nothing is distorted by it. Not safe for use by several threads.
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
     * The first arrival after a time; both in nanoseconds since the load's origin.
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
