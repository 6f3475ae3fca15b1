package dev.headgate.server.sizing;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What all trials of one size gave together: medians, the better of two. The search decides by these, and its answer tells these.
 *
 * @param looks the number of trials
 * @param ruledOut why the size is not taken; empty if it may be
 */
record Seen(int size, double perSecond, double responseMs, double waitMs, int looks, String ruledOut) {

    /** A wait that is at most this share of the response is hardly any. */
    private static final double HARDLY = 0.05;

    /** @param trials of one size, at least one */
    static Seen of(List<Trial> trials) {
        return new Seen(
                trials.getFirst().size(),
                -lowerMedian(trials, trial -> -trial.perSecond()),
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

    /** Whether the size serves what there is to serve. */
    boolean serves(double mostPerSecond) {
        return perSecond >= SizeSearch.THROUGHPUT * mostPerSecond || waitMs <= HARDLY * responseMs;
    }
}
