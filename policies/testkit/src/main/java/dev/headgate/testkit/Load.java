package dev.headgate.testkit;

import java.time.Duration;
import java.util.TreeMap;

/**
 * How many requests come, over time: open-loop, with a rate that changes at given instants. Arrivals are drawn as a
 * Poisson process of that rate.
 */
public final class Load {

    private final TreeMap<Long, Double> perSecondFrom = new TreeMap<>();
    private final TreeMap<Long, Double> heavinessFrom = new TreeMap<>();

    private Load(double perSecond) {
        perSecondFrom.put(Long.MIN_VALUE, perSecond);
        heavinessFrom.put(Long.MIN_VALUE, 1.0);
    }

    public static Load perSecond(double perSecond) {
        return new Load(perSecond);
    }

    /** From an instant on, another rate. */
    public Load then(Duration from, double perSecond) {
        perSecondFrom.put(from.toNanos(), perSecond);
        return this;
    }

    /** From an instant on, another mix: every request is so many times as heavy as the server's mean. */
    public Load heavier(Duration from, double factor) {
        heavinessFrom.put(from.toNanos(), factor);
        return this;
    }

    double perSecondAt(long sinceStartNanos) {
        return perSecondFrom.floorEntry(sinceStartNanos).getValue();
    }

    double heavinessAt(long sinceStartNanos) {
        return heavinessFrom.floorEntry(sinceStartNanos).getValue();
    }

    /** The instant at which the rate next changes, or the end of time. */
    long nextChange(long sinceStartNanos) {
        Long next = perSecondFrom.higherKey(sinceStartNanos);
        return next == null ? Long.MAX_VALUE : next;
    }
}
