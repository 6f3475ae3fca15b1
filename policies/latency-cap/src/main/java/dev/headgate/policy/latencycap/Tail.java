package dev.headgate.policy.latencycap;

/**
 * How many times the mean a percentile is, and how sure that is: a Kalman filter of one number that drifts slowly. A run of
 * surprises on one side (Page 1954) says that the work has changed, and the ratio is then learned anew.
 *
 * <p>Before anything was measured the ratio is 1 and sure, which is what it is for the mean. Not thread-safe.
 */
final class Tail {

    /** How fast the belief fades: relative standard deviation gained in the square root of a second. */
    private static final double DRIFT = 0.003;

    private static final double JUMP_DEVIATION = 0.5;
    private static final double SURPRISE_SLACK = 0.75;
    private static final double SURPRISE_LIMIT = 6.5;
    private static final double MOST_SURPRISE = 4;
    private static final double NOISE_MEMORY = 0.05;

    private final double expectedSpread;
    private double spreadSquared;
    private boolean known;
    private double ratio = 1;
    private double variance;
    private long updatedNanos;
    private double surpriseUp;
    private double surpriseDown;

    /** @param expectedSpread the ratio's standard error over one sample, relative to it, until the data say better */
    Tail(double expectedSpread) {
        this.expectedSpread = expectedSpread;
        this.spreadSquared = expectedSpread * expectedSpread;
    }

    boolean known() {
        return known;
    }

    double ratio() {
        return ratio;
    }

    /** The standard deviation of {@link #ratio}. */
    double deviation() {
        return Math.sqrt(variance);
    }

    /** Takes a measured ratio in, from so many requests. */
    void learn(long nowNanos, double measured, long samples) {
        if (!known) {
            known = true;
            ratio = measured;
            variance = spreadSquared / samples * ratio * ratio;
            updatedNanos = nowNanos;
            return;
        }
        double seconds = Math.max(0, nowNanos - updatedNanos) / 1e9;
        updatedNanos = nowNanos;
        variance = Math.min(variance + DRIFT * DRIFT * seconds * ratio * ratio, ratio * ratio);
        double noise = spreadSquared / samples * ratio * ratio;
        double error = measured - ratio;
        if (jumped(error / Math.sqrt(variance + noise))) {
            variance += JUMP_DEVIATION * JUMP_DEVIATION * ratio * ratio;
        } else {
            double left = Math.max(0, error * error - variance);
            double seen = Math.min(left, 9 * noise) * samples / (ratio * ratio);
            spreadSquared = Math.clamp(
                    spreadSquared + NOISE_MEMORY * (seen - spreadSquared),
                    0.04 * expectedSpread * expectedSpread,
                    4 * expectedSpread * expectedSpread);
        }
        double gain = variance / (variance + noise);
        ratio += gain * error;
        variance *= 1 - gain;
    }

    private boolean jumped(double surprise) {
        double capped = Math.clamp(surprise, -MOST_SURPRISE, MOST_SURPRISE);
        surpriseUp = Math.max(0, surpriseUp + capped - SURPRISE_SLACK);
        surpriseDown = Math.max(0, surpriseDown - capped - SURPRISE_SLACK);
        if (surpriseUp < SURPRISE_LIMIT && surpriseDown < SURPRISE_LIMIT) {
            return false;
        }
        surpriseUp = 0;
        surpriseDown = 0;
        return true;
    }
}
