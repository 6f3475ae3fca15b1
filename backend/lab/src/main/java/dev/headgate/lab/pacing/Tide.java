package dev.headgate.lab.pacing;

import java.util.SplittableRandom;

/**
 * How the rate of a load rises and falls: a factor around 1, as a smooth function of time. It is the sum of three slow
 * sines whose periods have no common multiple, times an occasional burst of some seconds that about doubles the rate. A
 * pure function of seed and time: one seed always makes the same day, and two seeds do not move together.
 */
public final class Tide {

    private static final double[] PERIOD_SECONDS = {67, 157, 311};
    private static final double[] AMPLITUDE = {0.15, 0.25, 0.20};
    private static final double BURST_SLOT_SECONDS = 80;
    private static final double BURST_CHANCE = 0.6;
    private static final double BURST_HEIGHT = 1.3;

    private final long seed;
    private final double[] phase = new double[PERIOD_SECONDS.length];

    public Tide(long seed) {
        this.seed = seed;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < phase.length; i++) {
            phase[i] = random.nextDouble(2 * Math.PI);
        }
    }

    /** The factor at a time since the load's start, 0.4..{@link #peak()}. */
    public double at(long nanos) {
        double seconds = nanos / 1e9;
        double factor = 1;
        for (int i = 0; i < phase.length; i++) {
            factor += AMPLITUDE[i] * Math.sin(2 * Math.PI * seconds / PERIOD_SECONDS[i] + phase[i]);
        }
        return factor * (1 + burst(seconds));
    }

    /** The largest possible factor. */
    public double peak() {
        double factor = 1;
        for (double amplitude : AMPLITUDE) {
            factor += amplitude;
        }
        return factor * (1 + BURST_HEIGHT);
    }

    /** Each time slot has at most one burst, which lies wholly inside it: a raised cosine of 10 to 20 s. */
    private double burst(double seconds) {
        long slot = (long) Math.floor(seconds / BURST_SLOT_SECONDS);
        SplittableRandom random = new SplittableRandom(seed ^ (slot * 0x9E3779B97F4A7C15L));
        if (random.nextDouble() >= BURST_CHANCE) {
            return 0;
        }
        double length = random.nextDouble(10, 20);
        double begin = slot * BURST_SLOT_SECONDS + random.nextDouble(BURST_SLOT_SECONDS - length);
        double height = random.nextDouble(BURST_HEIGHT / 2, BURST_HEIGHT);
        double share = (seconds - begin) / length;
        return share <= 0 || share >= 1 ? 0 : height * (1 - Math.cos(2 * Math.PI * share)) / 2;
    }
}
