package dev.headgate.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A database server in virtual time. A request's duration is drawn when it begins: the {@linkplain ServiceTime mean} at
 * the number of requests under way then, times the factor of every episode under way, times log-normal chance. (It does
 * not change any more when others come and go meanwhile; over a window this evens out.)
 */
public final class SimulatedServer {

    private final ServiceTime serviceTime;
    private final double sigma;
    private final SplittableRandom random;
    private final List<Episode> episodes = new ArrayList<>();
    private int active;

    private record Episode(long fromNanos, long toNanos, double factor) {}

    /**
     * @param variation the coefficient of variation of the durations (0 for none, 1 as widely spread as an exponential
     *     distribution)
     */
    public SimulatedServer(ServiceTime serviceTime, double variation, long seed) {
        this.serviceTime = serviceTime;
        this.sigma = Math.sqrt(Math.log(1 + variation * variation));
        this.random = new SplittableRandom(seed);
    }

    /** Everything takes {@code factor} times as long during a stretch, counted from the start of virtual time. */
    public SimulatedServer slower(double factor, Duration from, Duration length) {
        episodes.add(new Episode(from.toNanos(), from.plus(length).toNanos(), factor));
        return this;
    }

    public int active() {
        return active;
    }

    /** The mean duration at so many requests under way, without chance. */
    public double meanNanos(int requestsUnderWay, long sinceStartNanos) {
        return serviceTime.meanNanos(Math.max(1, requestsUnderWay)) * factor(sinceStartNanos);
    }

    /** What the percentile of the durations is in multiples of their mean. */
    public double percentileFactor(double normalQuantile) {
        return Math.exp(sigma * normalQuantile - sigma * sigma / 2);
    }

    /** A request begins; it takes so long. */
    long begin(long sinceStartNanos, double heaviness) {
        active++;
        double chance = Math.exp(sigma * random.nextGaussian() - sigma * sigma / 2);
        return Math.max(1, Math.round(meanNanos(active, sinceStartNanos) * heaviness * chance));
    }

    void end() {
        active--;
    }

    private double factor(long sinceStartNanos) {
        double factor = 1;
        for (Episode each : episodes) {
            if (sinceStartNanos >= each.fromNanos && sinceStartNanos < each.toNanos) {
                factor *= each.factor;
            }
        }
        return factor;
    }
}
