package dev.headgate.server.sizing;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What all trials of one size gave together: medians, the better of two. The search decides by these, and its answer tells these.
 *
 * @param leases of one trial, the most
 * @param refused share of the requests for a lease that got none
 * @param looks the number of trials
 * @param ruledOut why the size is not taken; empty if it may be
 */
record Seen(
        int size,
        long leases,
        double perSecond,
        double refused,
        double responseMs,
        double waitMs,
        int looks,
        String ruledOut) {

    /** A wait that is at most this share of the response is hardly any. */
    private static final double HARDLY = 0.05;

    /** With a larger share of its connections in use, a size may be what limits the throughput. */
    private static final double BUSY = 0.95;

    /** A difference of so many standard deviations is not by chance. */
    private static final double CHANCE = 2;

    /** @param trials of one size, at least one */
    static Seen of(List<Trial> trials) {
        return new Seen(
                trials.getFirst().size(),
                trials.stream().mapToLong(Trial::leases).max().orElse(0),
                -lowerMedian(trials, trial -> -trial.perSecond()),
                lowerMedian(trials, Trial::refused),
                lowerMedian(trials, Trial::responseMs),
                lowerMedian(trials, Trial::waitMs),
                trials.size(),
                trials.stream()
                        .map(Trial::ruledOut)
                        .filter(why -> !why.isEmpty())
                        .findFirst()
                        .orElse(""));
    }

    private static double lowerMedian(List<Trial> trials, ToDoubleFunction<Trial> figure) {
        double[] sorted = trials.stream().mapToDouble(figure).sorted().toArray();
        return sorted[(sorted.length - 1) / 2];
    }

    boolean counts() {
        return ruledOut.isEmpty();
    }

    /** Whether chance may have made it look worse than it is. */
    boolean doubtful() {
        return counts() && looks < 2;
    }

    /**
     * Whether the size serves what there is to serve: nearly as much as the size that served the most, or all that arrives. Where
     * connections are left over, it is the arrivals that differ: they are taken to be independent (a Poisson process). A size that refuses
     * requests serves less than what arrives, and nobody waits for that.
     */
    boolean serves(Seen most) {
        double missing = Bar.THROUGHPUT * most.perSecond - perSecond;
        return missing <= 0
                || servesAll()
                || (!refuses()
                        && inUse() < BUSY * size
                        && missing <= CHANCE * Math.hypot(deviation(), most.deviation()));
    }

    /** Whether all who come are served: they hardly wait, and hardly any is refused. */
    boolean servesAll() {
        return waitMs <= HARDLY * responseMs && !refuses();
    }

    private boolean refuses() {
        return refused > 1 - Bar.THROUGHPUT;
    }

    /** The mean number of connections in use, by Little's law. */
    double inUse() {
        return perSecond * heldMs() / 1e3;
    }

    /** The mean time of a lease. */
    double heldMs() {
        return responseMs - waitMs;
    }

    /** Of {@link #perSecond}, if arrivals are independent. */
    private double deviation() {
        return leases == 0 ? 0 : perSecond / Math.sqrt((double) leases);
    }
}
