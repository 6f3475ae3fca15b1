package dev.headgate.policy.latencycap;

import dev.headgate.spi.Latency;
import java.util.Optional;

/**
 * What the capped statistic is expected to be at a given number of active connections: the mean that the {@link LatencyModel}
 * expects there, times the {@linkplain Tail ratio} of the statistic to the mean.
 *
 * <p>Load moves all requests together, so how latency depends on load is learned from the mean, which takes a tenth of the
 * requests that a percentile takes to be known as well; how far the tail lies above the mean is a property of the work, and is
 * learned on its own, from all sizes at once. Whether further connections would add throughput is a question to the mean
 * alone, by Little's law.
 *
 * <p>Nanoseconds, and connections with a request under way. Not thread-safe.
 */
final class Forecast {

    /** The mean's standard error over one sample, relative to it, for exponentially distributed latencies. */
    private static final double SPREAD_OF_MEAN = 1;

    private final Statistic statistic;
    private final LatencyModel mean = new LatencyModel(SPREAD_OF_MEAN);
    private final Tail tail;
    private Optional<Latency> collected = Optional.empty();

    Forecast(Statistic statistic) {
        this.statistic = statistic;
        this.tail = new Tail(statistic.spread());
    }

    /** Whether there was enough to forecast by. */
    boolean known() {
        return mean.known() && (statistic == Statistic.MEAN || tail.known());
    }

    void learn(long nowNanos, double active, Latency latency, boolean full) {
        mean.learn(nowNanos, active, Math.max(1, latency.meanNanos()), latency.count(), full);
        if (statistic == Statistic.MEAN) {
            return;
        }
        Latency sum = collected.map(before -> before.plus(latency)).orElse(latency);
        if (sum.count() < statistic.enough()) {
            collected = Optional.of(sum);
            return;
        }
        collected = Optional.empty();
        tail.learn(nowNanos, statistic.nanos(sum) / Math.max(1, sum.meanNanos()), sum.count());
    }

    double at(double active) {
        return mean.at(active) * tail.ratio();
    }

    /** The standard deviation of {@link #at}. */
    double deviationAt(double active) {
        return Math.hypot(mean.deviationAt(active) * tail.ratio(), mean.at(active) * tail.deviation());
    }

    /** The share of the latency at so many active connections that load is responsible for. */
    double loadShareAt(double active) {
        return mean.loadShareAt(active);
    }

    /**
     * By how much of a percent the throughput of a full pool would rise with one percent more connections; negative where it
     * would fall.
     */
    double gainAt(double active) {
        return mean.at(active) <= 0 ? 0 : 1 - mean.loadShareAt(active);
    }
}
