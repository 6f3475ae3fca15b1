package dev.headgate.policy.latencycap;

/**
 * What is believed of the database: latency is {@code base + slope * active}, and how sure that is.
 *
 * <p>A line, because that is what a server of fixed capacity gives over the range that matters: while it has capacity to
 * spare the line is nearly flat, and once it has none every further request under way makes all of them wait in
 * proportion (Little's law at constant throughput: {@code L = N / X}). Jordan (TR-2006-151) found it linear on the
 * databases he measured and sized pools by it. Where the truth is bent, as in Gunther's Universal Scalability Law,
 * the line is the tangent at the present size; it is never followed further than a few connections.
 *
 * <p>The estimator is recursive least squares with directional forgetting, written as a Kalman filter, since that is
 * what makes it say how sure it is. Three things can move the truth, and each widens the belief in its own direction:
 *
 * <ul>
 *   <li><b>Scale.</b> The database gets faster or slower as a whole: base and slope grow by the same factor. This is
 *       common (caches, neighbours, a shifting mix) and sometimes sudden, so scale is forgotten within seconds, and at
 *       once when a cumulative sum of surprises says that it has jumped.
 *   <li><b>Shape.</b> The share of latency that depends on load changes. This is rare: forgotten over minutes. So what
 *       was learned while growing survives a slow hour and a slow database.
 *   <li><b>Bend.</b> The line is only a tangent, so moving along it makes the slope less certain.
 * </ul>
 *
 * <p><b>Cause and effect.</b> By Little's law a request that happens to be slow raises latency and the number of active
 * connections together. Fitted naively, chance and a slow database both look like "more connections, more latency" with
 * a slope of {@code L / N}, the steepest there is. So the slope is learned only while the pool is full, when it is the
 * pool's size that sets the number of active connections. At other times a measurement moves the scale alone.
 *
 * <p>Latencies in nanoseconds, {@code active} in connections with a request under way. Not thread-safe.
 */
final class LatencyModel {

    /** How fast the belief in the scale fades: relative standard deviation gained in one second. */
    private static final double SCALE_DRIFT = 0.01;
    /** The same for the slope, relative to the steepest possible slope. */
    private static final double SHAPE_DRIFT = 0.01;
    /** Before anything is known half of the latency may come from load, give or take. */
    private static final double PRIOR_SHARE = 0.5;

    private static final double PRIOR_SHARE_DEVIATION = 0.3;
    /** How much of the slope is put in doubt by moving from N to 2N active connections. */
    private static final double BEND = 0.8;
    /** A jump may be this large, as a relative standard deviation. */
    private static final double JUMP_DEVIATION = 1.0;

    private static final double ALONE = 1;
    /** A pool whose active connections differ by less than this share has not moved. */
    private static final double STILL = 0.02;

    private static final double SURPRISING = 3;
    private static final double SURPRISE_LIMIT = 6.5;
    /** The line may fall at most this far below 0 at its left end, as a share of the present latency. */
    private static final double MOST_RETROGRADE = 1;

    private static final double NOISE_MEMORY = 0.05;

    private final double expectedSpread;
    private final Surprises surprises;
    private double spreadSquared;
    private boolean known;
    private double base;
    private double slope;
    // the covariance of (base, slope)
    private double pBase;
    private double pBoth;
    private double pSlope;
    private double lastActive;
    private long updatedNanos;

    /** @param expectedSpread the standard error of one sample, relative to the figure, until the data say better */
    LatencyModel(double expectedSpread) {
        this.surprises = new Surprises(SURPRISE_LIMIT);
        this.expectedSpread = expectedSpread;
        this.spreadSquared = expectedSpread * expectedSpread;
    }

    /** What the other one believes now. */
    LatencyModel(LatencyModel other) {
        this.surprises = new Surprises(other.surprises);
        this.expectedSpread = other.expectedSpread;
        this.spreadSquared = other.spreadSquared;
        this.known = other.known;
        this.base = other.base;
        this.slope = other.slope;
        this.pBase = other.pBase;
        this.pBoth = other.pBoth;
        this.pSlope = other.pSlope;
        this.lastActive = other.lastActive;
        this.updatedNanos = other.updatedNanos;
    }

    boolean known() {
        return known;
    }

    double at(double active) {
        return Math.max(0, base + slope * active);
    }

    /** The standard deviation of {@link #at}: how far off the line may be there. */
    double deviationAt(double active) {
        return Math.sqrt(Math.max(0, pBase + 2 * active * pBoth + active * active * pSlope));
    }

    /**
     * The share of the latency at so many active connections that load is responsible for. Above 1 the tangent rises more
     * steeply than the line from the origin: more load would lower the throughput.
     */
    double loadShareAt(double active) {
        double there = at(active);
        return there <= 0 ? 0 : slope * active / there;
    }

    /**
     * Takes a measurement in.
     *
     * @param measuredActive connections that had a request under way, on average; below 1 counts as 1, since a request
     *     that is alone is not delayed by itself
     * @param latency what was measured, positive
     * @param samples from how many requests, positive
     * @param full whether the pool was full, so that its size set {@code active}, and not the other way round
     */
    void learn(long nowNanos, double measuredActive, double latency, long samples, boolean full) {
        double active = Math.max(measuredActive, ALONE);
        if (!known) {
            begin(nowNanos, active, latency, samples);
            return;
        }
        forget(Math.max(0, nowNanos - updatedNanos) / 1e9);
        updatedNanos = nowNanos;
        boolean moved = Math.abs(active - lastActive) > STILL * lastActive;
        bend(active);
        double noise = noiseOf(active, samples);
        double surprise = (latency - at(active)) / Math.sqrt(varianceAt(active) + noise);
        if (surprises.add(surprise)) {
            widenScale(JUMP_DEVIATION);
        } else {
            learnSpread(active, latency, samples, noise);
        }
        // what surprises at a size that did not change is not about the size
        boolean aboutScale = !full || (!moved && Math.abs(surprise) > SURPRISING);
        update(active, latency, noise, !aboutScale);
        keepPlausible(active);
    }

    private void begin(long nowNanos, double active, double latency, long samples) {
        known = true;
        slope = PRIOR_SHARE * latency / active;
        base = latency - slope * active;
        lastActive = active;
        updatedNanos = nowNanos;
        // uncertain about the share along (-active, 1), about the level along (base, slope)
        double dSlope = PRIOR_SHARE_DEVIATION * latency / active;
        pBase = active * active * dSlope * dSlope;
        pBoth = -active * dSlope * dSlope;
        pSlope = dSlope * dSlope;
        widenScale(Math.sqrt(spreadSquared / samples));
    }

    private void forget(double seconds) {
        widenScale(SCALE_DRIFT * Math.sqrt(seconds));
        widenSlope(lastActive, SHAPE_DRIFT * Math.sqrt(seconds) * at(lastActive) / lastActive);
    }

    private void bend(double active) {
        double moved = Math.min(1, Math.abs(active - lastActive) / Math.max(active, lastActive));
        widenSlope(lastActive, BEND * moved * Math.max(slope, 0.1 * at(active) / active));
        lastActive = active;
    }

    /** Adds doubt along (base, slope): everything may have become slower or faster together. */
    private void widenScale(double relative) {
        double r = relative * relative;
        pBase += r * base * base;
        pBoth += r * base * slope;
        pSlope += r * slope * slope;
    }

    /** Adds doubt about the slope that leaves the level at {@code pivot} as sure as it was, up to what it was at first. */
    private void widenSlope(double pivot, double deviation) {
        double most = PRIOR_SHARE_DEVIATION * at(pivot) / pivot;
        double room = Math.max(0, most * most - pSlope);
        double q = Math.min(deviation * deviation, room);
        pBase += q * pivot * pivot;
        pBoth -= q * pivot;
        pSlope += q;
    }

    private double varianceAt(double active) {
        return Math.max(0, pBase + 2 * active * pBoth + active * active * pSlope);
    }

    private double noiseOf(double active, long samples) {
        double expected = at(active);
        return Math.max(1, spreadSquared * expected * expected / samples);
    }

    /** How noisy one sample is, learned from what is left over when the belief's own doubt is taken off. */
    private void learnSpread(double active, double latency, long samples, double noise) {
        double expected = at(active);
        if (expected <= 0) {
            return;
        }
        double error = latency - expected;
        double left = Math.max(0, error * error - varianceAt(active));
        double seen = Math.min(left, 9 * noise) * samples / (expected * expected);
        double least = 0.04 * expectedSpread * expectedSpread;
        double most = 4 * expectedSpread * expectedSpread;
        spreadSquared = Math.clamp(spreadSquared + NOISE_MEMORY * (seen - spreadSquared), least, most);
    }

    /** The Kalman update in Joseph's form, which holds for any gain: the best one, or one along the scale alone. */
    private void update(double active, double latency, double noise, boolean both) {
        double hBase = pBase + active * pBoth;
        double hSlope = pBoth + active * pSlope;
        double variance = varianceAt(active);
        double total = variance + noise;
        double expected = at(active);
        double kBase;
        double kSlope;
        if (both) {
            kBase = hBase / total;
            kSlope = hSlope / total;
        } else if (expected > 0) {
            kBase = variance / total * base / expected;
            kSlope = variance / total * slope / expected;
        } else {
            kBase = variance / total;
            kSlope = 0;
        }
        double error = latency - (base + slope * active);
        base += kBase * error;
        slope += kSlope * error;

        // (I - K H) P (I - K H)' + K R K'
        double a = 1 - kBase;
        double b = -kBase * active;
        double c = -kSlope;
        double d = 1 - kSlope * active;
        double m00 = a * pBase + b * pBoth;
        double m01 = a * pBoth + b * pSlope;
        double m10 = c * pBase + d * pBoth;
        double m11 = c * pBoth + d * pSlope;
        pBase = m00 * a + m01 * b + kBase * noise * kBase;
        pBoth = m00 * c + m01 * d + kBase * noise * kSlope;
        pSlope = m10 * c + m11 * d + kSlope * noise * kSlope;
    }

    /** Latency does not fall as load grows, and not much of it is paid back at no load. */
    private void keepPlausible(double active) {
        double level = Math.max(1, base + slope * active);
        double steepest = (1 + MOST_RETROGRADE) * level / active;
        slope = Math.clamp(slope, 0, steepest);
        base = level - slope * active;
    }
}
