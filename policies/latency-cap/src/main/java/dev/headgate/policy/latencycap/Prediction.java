package dev.headgate.policy.latencycap;

/**
 * What the capped statistic is now and would be with another number of connections, held against the cap. The {@link Forecast} knows
 * active connections; this turns the size of a pool into those, and says how far below the cap to stay.
 *
 * <h2>The aim</h2>
 *
 * The <em>target</em> is the latency at which nineteen of twenty windows are within 1.1 of the cap. The <em>aim</em> at a size is less
 * than the target, by as much as a few percent of the throughput buy: the knee of the curve is nearly as fast as its end, has more windows
 * within the cap, and is further from where trials fail.
 *
 * <p>Nanoseconds. Not thread-safe.
 */
final class Prediction {

    /** How sure growth must be, in standard deviations: with none of the latency due to load, and per share of it. */
    private static final double LEAST_CARE = 0.3;

    private static final double CARE_PER_LOAD_SHARE = 1.2;
    /** How sure shrinking must be, likewise. */
    private static final double CARE_TO_SHRINK = 0.5;
    /**
     * How much of the throughput is given up to stay further below the cap where load is to blame for all of the latency; by the fourth power of
     * that share where it is not. The last connections bring next to no throughput there, so a little of it buys much distance.
     */
    private static final double GIVEN_UP = 0.03;
    /** How far below the target to stay, as shares of it: at least, by the square of load's share of the latency, and at most. */
    private static final double LEAST_MARGIN = 0.05;

    private static final double MOST_MARGIN = 0.3;
    /** A window counts as over the cap when its statistic is over the cap by more than this. */
    private static final double MOST_OVER = 1.1;
    /** So many standard deviations are exceeded by chance once in twenty times. */
    private static final double ONE_IN_TWENTY = 1.65;
    /**
     * The least target, as a share of the cap. Where it would have to be lower, as at a step between two modes, no size keeps
     * chance away, and the cap itself is the target.
     */
    private static final double LEAST_TARGET = 0.6;

    private static final double PLAINLY_OVER = 1.1;

    private final double capNanos;
    private final Statistic statistic;
    private final Forecast forecast;
    private final Measured measured;

    Prediction(double capNanos, Statistic statistic, Forecast forecast, Measured measured) {
        this.capNanos = capNanos;
        this.statistic = statistic;
        this.forecast = forecast;
        this.measured = measured;
    }

    double capNanos() {
        return capNanos;
    }

    // ---- before an episode, and now

    /** Whether the body of about the last second is as short as when the cap was last kept. */
    boolean isAsKept() {
        return forecast.isAsKept(measured.recentBodyNanos(), measured.active());
    }

    /** Whether it is so much longer than then that the size does not explain it. */
    boolean isFarFromKept() {
        return forecast.isFarFromKept(measured.recentBodyNanos(), measured.active());
    }

    // ---- now

    /** What the model believes the statistic to be. */
    double level() {
        return forecast.at(measured.active());
    }

    /** What the statistic is at least, with so many standard deviations of doubt. */
    double surely(double deviations) {
        return forecast.surely(measured.active(), deviations);
    }

    /**
     * The latency at present, as it is told: what the model believes, or the mean of the last second where that is over the cap
     * and the model does not believe it yet. A decision that rests on the one must not show the other. Where the model believes
     * it over the cap and no measurement of late was, it is what was measured last.
     */
    double present() {
        double believed = Math.max(level(), recent());
        return believed > capNanos && !measured.wasSlowLately() ? measured.lastNanos() : believed;
    }

    /** Whether the latency is over the cap, or closer to it than chance allows, surely enough to take connections away. */
    boolean isTooHigh() {
        return measured.wasSlowLately() && (surely(CARE_TO_SHRINK) > target() || isPlainlyOver());
    }

    /** Whether the cap holds so surely that an alarm may end. */
    boolean keepsCap() {
        return forecast.above(measured.active(), CARE_TO_SHRINK) <= capNanos;
    }

    /** Whether the present size itself, not only the model, has kept the cap for a while. */
    boolean isPlainlyUnder() {
        return recent() > 0 && recent() <= capNanos;
    }

    /** The model learns with care; what is over the cap for a second is over it, whatever was expected. */
    private boolean isPlainlyOver() {
        return recent() > PLAINLY_OVER * capNanos;
    }

    /**
     * What the statistic was in about the last second since the last change, at least: the body as it was measured, times what is
     * surely known of the tail; 0 until there is a second of it.
     */
    private double recent() {
        double bodyNanos = measured.recentBodyNanos();
        return bodyNanos > 0 ? forecast.atBody(bodyNanos) : 0;
    }

    /**
     * By how much of a percent the throughput would rise with one percent more connections. Where applications pause within a
     * lease, requests that slow each other down lengthen only part of it.
     */
    double gain() {
        return 1 - measured.activity() * (1 - forecast.gainAt(measured.active()));
    }

    // ---- at another size

    /** What the statistic is expected to be with so many connections. */
    double at(int size) {
        return forecast.at(measured.activeAt(size));
    }

    /** What it may be at most, as surely as it takes to grow: the more load is to blame for the latency, the surer. */
    double carefully(int size) {
        double there = measured.activeAt(size);
        double care = LEAST_CARE + CARE_PER_LOAD_SHARE * loadShare(there);
        return forecast.above(there, care);
    }

    /** What it may be at least, so many standard deviations below the best guess. */
    double hopefully(int size, double deviations) {
        return forecast.below(measured.activeAt(size), deviations);
    }

    /** What it is at least, so surely that connections can be taken away for it. */
    double surelyAt(int size, double deviations) {
        return forecast.surely(measured.activeAt(size), deviations);
    }

    // ---- where to stay

    /**
     * The latency to stay under: the target, less what {@link #GIVEN_UP} buys. Where load is to blame for a share {@code s} of the latency,
     * one percent fewer connections have {@code s} percent less of it and, by Little's law, {@code 1 - s} percent less throughput.
     */
    double aim(int size) {
        double share = loadShare(measured.activeAt(size));
        double givenUp = GIVEN_UP * Math.pow(share, 4);
        double bought = share < 1 ? givenUp * share / (1 - share) : MOST_MARGIN;
        return (1 - Math.clamp(bought, LEAST_MARGIN * share * share, MOST_MARGIN)) * target();
    }

    /**
     * The latency at which nineteen of twenty windows are within 1.1 of the cap. The statistic of a window strays from what it is on
     * average, the further the fewer requests there are and the heavier their tail is: a mean that is at the cap in the long run is
     * far over it in many seconds. In proportion to the share of the latency that load is responsible for, since where it is not,
     * fewer connections would not make windows stray less.
     */
    double target() {
        double share = loadShare(measured.active());
        double target = Math.min(1, MOST_OVER / forecast.chance(statistic.perWindow(), ONE_IN_TWENTY));
        return target < LEAST_TARGET ? capNanos : (1 - share * (1 - target)) * capNanos;
    }

    private double loadShare(double active) {
        return Math.clamp(forecast.loadShareAt(active), 0, 1);
    }
}
