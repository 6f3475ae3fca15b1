package dev.headgate.policy.latencycap;

import dev.headgate.spi.Window;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What was measured last, and what that came to over about the last second: the body of the latencies, how full the pool was, and how
 * many connections were active.
 *
 * <p>A change of the size begins the measurement anew: windows that began before the change has settled are left out, and so is what
 * was measured before of the last second. Not thread-safe.
 */
final class Measured {

    private static final long SHORTEST_SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** What was measured longer ago is not told as the present, nor does its alarm stand. {@link Evidence} sums windows up for as long. */
    private static final long PRESENT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** How fast the number of active connections per pooled one is followed. */
    private static final double ACTIVITY_MEMORY = 0.1;

    private static final double RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double RECENT_ENOUGH = 0.6;

    private final double capNanos;
    private final Statistic statistic;
    private final Evidence evidence = new Evidence(Statistic.MEAN.enough());

    private Optional<Evidence.Measurement> fresh = Optional.empty();
    private long untilNanos;
    private double lastNanos;
    private double bodyNanos;
    /** Whether the statistic was measured over the cap of late, and when last. */
    private boolean slow;

    private long slowNanos;
    /** What counts of about the last second since the last change: how long it was, and its latency times that. */
    private double recentNanos;

    private double recentSumNanos;
    /** The share of about the last second in which the pool was full; negative until something was measured. */
    private double fullness = -1;
    /** Active connections that the last measurement counts for; in a full pool they follow from its size. */
    private double active;
    /** Whether anybody waited or was turned away while that was measured. */
    private boolean waited;
    /** Active connections per connection of a full pool; below 1 where the application pauses within a lease. */
    private double activity = 1;

    private boolean activityKnown;
    /** Windows that began earlier still hold requests of before the last change. */
    private long settledNanos;

    private boolean settles;

    Measured(double capNanos, Statistic statistic) {
        this.capNanos = capNanos;
        this.statistic = statistic;
    }

    /** Takes a window in, and teaches the forecast once there is enough to judge by. */
    void add(Window window, Forecast forecast) {
        if (settles && window.startNanos() - settledNanos < 0) {
            return;
        }
        evidence.add(window).ifPresent(measurement -> {
            fresh = Optional.of(measurement);
            untilNanos = window.startNanos() + window.lengthNanos();
            lastNanos = statistic.nanos(measurement.latency());
            if (lastNanos > capNanos) {
                slowNanos = untilNanos;
                slow = true;
            }
            Sample sample = new Sample(measurement.latency());
            bodyNanos = sample.bodyNanos();
            active = Math.max(1, activeOf(measurement));
            waited = measurement.waited();
            forecast.learn(untilNanos, active, sample, measurement.full());
            remember(measurement);
        });
    }

    /**
     * In a full pool the number of active connections follows from the pool's size, which chance does not move; the
     * number that was measured moves with every slow request.
     */
    private double activeOf(Evidence.Measurement measurement) {
        if (!measurement.full() || measurement.size() <= 0) {
            return measurement.active();
        }
        double seen = Math.clamp(measurement.active() / measurement.size(), 0.02, 1);
        activity = activityKnown ? activity + ACTIVITY_MEMORY * (seen - activity) : seen;
        activityKnown = true;
        return activity * measurement.size();
    }

    private void remember(Evidence.Measurement measurement) {
        double length = measurement.nanos();
        double kept = Math.exp(-length / RECENT_NANOS);
        double full = measurement.full() ? 1 : 0;
        fullness = fullness < 0 ? full : full + kept * (fullness - full);
        recentNanos = kept * recentNanos + length;
        recentSumNanos = kept * recentSumNanos + length * bodyNanos;
    }

    /** Leaves out windows that begin earlier than this: they hold requests of before the policy was first asked. */
    void settleAt(long nanos) {
        settles = true;
        settledNanos = nanos;
    }

    /** The size has changed: what was measured before says nothing about the new one. */
    void beginAnew(long now) {
        recentNanos = 0;
        recentSumNanos = 0;
        evidence.clear();
        settleAt(now + Math.clamp((long) bodyNanos, SHORTEST_SETTLE_NANOS, LONGEST_SETTLE_NANOS));
    }

    /** What was measured since this was last asked, if anything was. */
    Optional<Evidence.Measurement> takeFresh() {
        Optional<Evidence.Measurement> taken = fresh;
        fresh = Optional.empty();
        return taken;
    }

    /** The capped statistic of the last measurement. */
    double lastNanos() {
        return lastNanos;
    }

    /** When the last measurement ended. */
    long untilNanos() {
        return untilNanos;
    }

    /** Whether what was measured then is too long ago to be told as the present. */
    static boolean isPast(long nanos, long now) {
        return now - nanos > PRESENT_NANOS;
    }

    /** What was never measured over the cap is not over it, whatever the model believes of a size that it hardly knows. */
    boolean wasSlowLately() {
        return slow;
    }

    /** Time has passed. */
    void forgetPast(long now) {
        slow = slow && !isPast(slowNanos, now);
    }

    /** The body of the latencies in about the last second since the last change; 0 until there is a second of it. */
    double recentBodyNanos() {
        return recentNanos < RECENT_ENOUGH * RECENT_NANOS ? 0 : recentSumNanos / recentNanos;
    }

    /** The share of about the last second in which the pool was full; negative until something was measured. */
    double fullness() {
        return fullness;
    }

    /** Active connections that the last measurement counts for. */
    double active() {
        return active;
    }

    /** Whether fewer than half of the connections of a pool of this size were active in the last measurement, and nobody waited. */
    boolean wasMoreThanEnough(int size) {
        return !waited && 2 * active < activeAt(size);
    }

    /** Active connections in a full pool of this size. */
    double activeAt(int size) {
        return activity * size;
    }

    /** Active connections per connection of a full pool. */
    double activity() {
        return activity;
    }
}
