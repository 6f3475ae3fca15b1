package dev.headgate.simulator;

import java.time.Duration;
import java.util.TreeMap;

/**
 * What an application asks for, over time: open-loop, so many leases per second as a Poisson process, each for some
 * {@link Work}. Rate and work may change at given instants. Made anew for each simulation.
 */
public final class Load {

    private static final int TIDE_STEPS = 100;

    private final TreeMap<Long, Double> perSecond = new TreeMap<>();
    private final TreeMap<Long, Work> work = new TreeMap<>();

    private Load(double leasesPerSecond, Work each) {
        perSecond.put(Long.MIN_VALUE, leasesPerSecond);
        work.put(Long.MIN_VALUE, each);
    }

    /** So many leases per second, each for one ordinary request. */
    public static Load perSecond(double leases) {
        return new Load(leases, Work.single());
    }

    public static Load perSecond(double leases, Work each) {
        return new Load(leases, each);
    }

    /**
     * A day's curve, compressed: a rate that rises from {@code low} to {@code high} and falls back in each period, along a cosine in
     * steps of a hundredth of the period.
     */
    public static Load tide(double low, double high, Duration period, Duration length) {
        Load load = perSecond(low);
        Duration step = period.dividedBy(TIDE_STEPS);
        for (int i = 0; step.multipliedBy(i).compareTo(length) < 0; i++) {
            double height = (1 - Math.cos(2 * Math.PI * i / TIDE_STEPS)) / 2;
            load.then(step.multipliedBy(i), low + (high - low) * height);
        }
        return load;
    }

    /** From an instant on, counted from the start, another rate. */
    public Load then(Duration from, double leases) {
        perSecond.put(from.toNanos(), leases);
        return this;
    }

    /** From an instant on, other work. */
    public Load then(Duration from, Work each) {
        work.put(from.toNanos(), each);
        return this;
    }

    double perSecondAt(long sinceStartNanos) {
        return perSecond.floorEntry(sinceStartNanos).getValue();
    }

    Work workAt(long sinceStartNanos) {
        return work.floorEntry(sinceStartNanos).getValue();
    }

    /** The instant at which the rate next changes, or the end of time. */
    long nextChange(long sinceStartNanos) {
        Long next = perSecond.higherKey(sinceStartNanos);
        return next == null ? Long.MAX_VALUE : next;
    }
}
