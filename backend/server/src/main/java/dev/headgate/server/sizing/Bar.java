package dev.headgate.server.sizing;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What every size is judged by: the size that served the most, and the one with the shortest response of those that serve as much.
 * Immutable.
 */
record Bar(Seen most, Seen shortest) {

    static final double THROUGHPUT = 0.95;
    static final double RESPONSE = 1.5;

    /** Differences of responses below this are noise. */
    static final double LEAST_MS = 0.1;

    /** Empty if no size counts. */
    static Optional<Bar> of(Collection<Seen> sizes) {
        List<Seen> counting = sizes.stream().filter(Seen::counts).toList();
        return counting.stream()
                .max(Comparator.comparingDouble(Seen::perSecond))
                .map(most -> new Bar(
                        most,
                        counting.stream()
                                .filter(each -> each.serves(most))
                                .min(Comparator.comparingDouble(Seen::responseMs))
                                .orElse(most)));
    }

    /** The smallest of the sizes that is as good as the best: one of those that this was made of. */
    Seen edge(Collection<Seen> sizes) {
        return sizes.stream()
                .filter(this::passes)
                .min(Comparator.comparingInt(Seen::size))
                .orElse(most);
    }

    private boolean passes(Seen size) {
        return size.counts() && size.serves(most) && size.responseMs() <= RESPONSE * shortest.responseMs() + LEAST_MS;
    }

    /** The size that another one falls short of: one that serves less than the most, or else has a longer response. */
    Seen above(Seen size) {
        return size.serves(most) ? shortest : most;
    }
}
