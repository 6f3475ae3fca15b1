package dev.headgate.simulator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A database server in virtual time. A request's duration is drawn when it begins: the {@linkplain ServiceTime mean} at
 * the number of requests under way then, times the factor of every episode under way, times {@link Chance}. (It does
 * not change any more when others come and go meanwhile; over a window this evens out.)
 */
public final class SimulatedServer {

    private final ServiceTime serviceTime;
    private final Chance chance;
    private final SplittableRandom random;
    private final List<Episode> episodes = new ArrayList<>();
    private final List<Episode> failures = new ArrayList<>();
    private final List<Episode> frozen = new ArrayList<>();
    private final List<Episode> unreachable = new ArrayList<>();
    private final List<Episode> neighbours = new ArrayList<>();
    private int active;

    private record Episode(long fromNanos, long toNanos, double factor) {
        boolean holds(long sinceStartNanos) {
            return sinceStartNanos >= fromNanos && sinceStartNanos < toNanos;
        }
    }

    /**
     * One whose durations vary log-normally.
     *
     * @param variation the coefficient of variation of the durations (0 for none, 1 as widely spread as an exponential
     *     distribution)
     */
    public SimulatedServer(ServiceTime serviceTime, double variation, long seed) {
        this(serviceTime, Chance.logNormal(variation), seed);
    }

    public SimulatedServer(ServiceTime serviceTime, Chance chance, long seed) {
        this.serviceTime = serviceTime;
        this.chance = chance;
        this.random = new SplittableRandom(seed);
    }

    /** Everything takes {@code factor} times as long during a stretch, counted from the start of virtual time. */
    public SimulatedServer slower(double factor, Duration from, Duration length) {
        episodes.add(new Episode(from.toNanos(), from.plus(length).toNanos(), factor));
        return this;
    }

    /**
     * A share of the requests that begin in a stretch, counted from the start of virtual time, ends with an error: after their
     * time, as most errors of a database do, and their lease with them. Several stretches at once add up.
     *
     * @param share from 0 (none) to 1 (all)
     */
    public SimulatedServer failing(double share, Duration from, Duration length) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be from 0 to 1, was " + share);
        }
        failures.add(new Episode(from.toNanos(), from.plus(length).toNanos(), share));
        return this;
    }

    /** Answers nothing during a stretch, counted from the start of virtual time. Stretches are told in their order. */
    public SimulatedServer frozen(Duration from, Duration length) {
        frozen.add(new Episode(from.toNanos(), from.plus(length).toNanos(), 1));
        return this;
    }

    /**
     * Others have so many requests under way on the server during a stretch: a backup, a report, another service. They count
     * for the mean as ours do.
     */
    public SimulatedServer neighbour(int requestsUnderWay, Duration from, Duration length) {
        neighbours.add(new Episode(from.toNanos(), from.plus(length).toNanos(), requestsUnderWay));
        return this;
    }

    /** Takes no new connections during a stretch, counted from the start of virtual time; those that are open go on. */
    public SimulatedServer unreachable(Duration from, Duration length) {
        unreachable.add(new Episode(from.toNanos(), from.plus(length).toNanos(), 1));
        return this;
    }

    boolean isReachable(long sinceStartNanos) {
        return unreachable.stream().noneMatch(each -> each.holds(sinceStartNanos));
    }

    public int active() {
        return active;
    }

    /** The mean duration at so many requests under way, without chance. */
    public double meanNanos(int requestsUnderWay, long sinceStartNanos) {
        int others = neighbours.isEmpty() ? 0 : (int) sum(neighbours, sinceStartNanos);
        return serviceTime.meanNanos(Math.max(1, requestsUnderWay + others)) * factor(sinceStartNanos);
    }

    /** A request begins; it takes so long. */
    long begin(long sinceStartNanos, double heaviness) {
        active++;
        double mean = meanNanos(active, sinceStartNanos) * heaviness;
        return thawed(sinceStartNanos, Math.max(1, Math.round(mean * chance.next(random))));
    }

    /** How long something lasts that takes so long where nothing is frozen. */
    private long thawed(long sinceStartNanos, long nanos) {
        long lasts = nanos;
        for (Episode each : frozen) { // in the order of their beginnings
            if (sinceStartNanos < each.toNanos && sinceStartNanos + lasts > each.fromNanos) {
                lasts += each.toNanos - Math.max(sinceStartNanos, each.fromNanos);
            }
        }
        return lasts;
    }

    /** Whether a request that begins now will end with an error. Draws no chance where nothing fails. */
    boolean fails(long sinceStartNanos) {
        double share = sum(failures, sinceStartNanos);
        return share > 0 && random.nextDouble() < share;
    }

    void end() {
        active--;
    }

    private static double sum(List<Episode> all, long sinceStartNanos) {
        double sum = 0;
        for (Episode each : all) {
            if (each.holds(sinceStartNanos)) {
                sum += each.factor;
            }
        }
        return sum;
    }

    private double factor(long sinceStartNanos) {
        double factor = 1;
        for (Episode each : episodes) {
            if (each.holds(sinceStartNanos)) {
                factor *= each.factor;
            }
        }
        return factor;
    }
}
