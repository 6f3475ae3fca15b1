package dev.headgate.server.sizing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the smallest size that is as good as the best: it serves {@value #THROUGHPUT} of the most throughput, or all that arrives; and
 * its response is at most {@value #RESPONSE} times the shortest of such sizes.
 *
 * <h2>Why both</h2>
 *
 * If callers come again as soon as they are answered, throughput rises with the size up to the knee and then stays flat or falls. If they
 * come at a rate of their own, throughput says nothing, and differs by chance alone: with too few connections they wait, with too many the
 * database slows down, and only the response tells. Where hardly anybody waits, or connections are left over and the difference is small
 * enough for chance, the size is no limit, so a lower throughput is the load's ({@link Seen#serves}).
 *
 * <h2>How</h2>
 *
 * The size in force is measured first. Then sizes double while that helps, then they halve while that does not hurt, and bisection finds
 * the edge. So no size is tried that is much smaller than one that was good. At the end the edge and its neighbour are measured again,
 * until they have been measured {@value #LOOKS} times, and so is the largest size before it is said not to help. What counts is a size's
 * median, of two the better one: what disturbs a trial only makes it worse.
 *
 * <p>Within the sizes that are still in question the {@link LoadModel} says where to look: the size that it expects to be the edge, then
 * the next smaller one. Where it expects none of them, the middle. It saves trials; what counts is what was measured.
 *
 * <p>A state machine without clock and threads: {@link #next} names a size, {@link #take} is told what it gave. Belongs to one thread.
 */
final class SizeSearch {

    static final double THROUGHPUT = 0.95;
    static final double RESPONSE = 1.5;

    /** Differences of responses below this are noise. */
    private static final double LEAST_MS = 0.1;

    private static final double HELPS = 1.03;
    private static final int LOOKS = 3;

    static final int MOST_TRIALS = 24;

    /** A model that was wrong so often is not asked again. */
    private static final int MOST_BY_MODEL = 12;

    private final int least;
    private final int most;
    private final int start;
    private final List<Trial> trials = new ArrayList<>();
    private boolean upwards = true;

    /**
     * @param least the smallest size that may be tried, at least 1
     * @param most the largest
     * @param start the size in force
     */
    SizeSearch(int least, int most, int start) {
        if (least < 1 || most < least) {
            throw new IllegalArgumentException("sizes must be 1 <= least <= most, were " + least + " and " + most);
        }
        this.least = least;
        this.most = most;
        this.start = Math.clamp(start, least, most);
    }

    private NavigableMap<Integer, Seen> seen() {
        return trials.stream()
                .collect(Collectors.groupingBy(
                        Trial::size, TreeMap::new, Collectors.collectingAndThen(Collectors.toList(), Seen::of)));
    }

    /** The next size to measure; empty when the answer is found. */
    OptionalInt next() {
        if (trials.isEmpty()) {
            return OptionalInt.of(start);
        }
        if (trials.size() >= MOST_TRIALS) {
            return OptionalInt.empty();
        }
        NavigableMap<Integer, Seen> seen = seen();
        if (upwards) {
            int largest = seen.lastKey();
            if (largest < most && helped(seen)) {
                return OptionalInt.of(Math.min(most, 2 * largest));
            }
            if (largest > start && seen.lastEntry().getValue().doubtful()) {
                return OptionalInt.of(largest);
            }
            upwards = false;
        }
        Optional<Seen> found = edge(seen);
        if (found.isEmpty()) {
            return OptionalInt.empty();
        }
        Seen edge = found.get();
        Integer below = seen.lowerKey(edge.size());
        if (below == null) {
            return edge.size() == least ? again(edge, null) : OptionalInt.of(Math.max(least, edge.size() / 2));
        }
        return edge.size() - below > 1
                ? OptionalInt.of(between(below, edge.size(), seen))
                : again(edge, seen.get(below));
    }

    private int between(int below, int edge, NavigableMap<Integer, Seen> seen) {
        OptionalInt expected = trials.size() < MOST_BY_MODEL ? expected(seen) : OptionalInt.empty();
        int guess = expected.isPresent() && expected.getAsInt() == edge ? edge - 1 : expected.orElse(0);
        return guess > below && guess < edge ? guess : (edge + below) / 2;
    }

    /** The edge, as the model expects it. */
    private OptionalInt expected(NavigableMap<Integer, Seen> seen) {
        return LoadModel.of(seen.values())
                .flatMap(model -> edge(IntStream.rangeClosed(least, most)
                        .mapToObj(model::at)
                        .collect(Collectors.toMap(Seen::size, Function.identity(), (one, _) -> one, TreeMap::new))))
                .map(edge -> OptionalInt.of(edge.size()))
                .orElseGet(OptionalInt::empty);
    }

    /** The edge that the model expects by all that was measured; empty while that says nothing. */
    OptionalInt expected() {
        return trials.isEmpty() ? OptionalInt.empty() : expected(seen());
    }

    /** The edge or its neighbour once more, unless both were measured often enough. */
    private static OptionalInt again(Seen edge, @Nullable Seen below) {
        if (edge.looks() < LOOKS) {
            return OptionalInt.of(edge.size());
        }
        return below != null && below.counts() && below.looks() < LOOKS
                ? OptionalInt.of(below.size())
                : OptionalInt.empty();
    }

    /** Whether the largest size is better than all smaller ones, or the only one. */
    private static boolean helped(NavigableMap<Integer, Seen> seen) {
        Seen largest = seen.lastEntry().getValue();
        if (seen.size() == 1) {
            return true;
        }
        if (!largest.counts()) {
            return false;
        }
        List<Seen> smaller = seen.headMap(largest.size()).values().stream()
                .filter(Seen::counts)
                .toList();
        Optional<Seen> most = most(smaller);
        double response = smaller.stream().mapToDouble(Seen::responseMs).min().orElse(Double.MAX_VALUE);
        return most.isEmpty()
                || largest.perSecond() > HELPS * most.get().perSecond()
                || (largest.serves(most.get()) && largest.responseMs() * HELPS < response - LEAST_MS);
    }

    /** The one that served the most in a second. */
    private static Optional<Seen> most(List<Seen> sizes) {
        return sizes.stream().max(Comparator.comparingDouble(Seen::perSecond));
    }

    /** The smallest size that is as good as the best of those measured. */
    private static Optional<Seen> edge(NavigableMap<Integer, Seen> seen) {
        List<Seen> counting = seen.values().stream().filter(Seen::counts).toList();
        List<Seen> serving = most(counting).stream()
                .flatMap(most -> counting.stream().filter(each -> each.serves(most)))
                .toList();
        double response = serving.stream().mapToDouble(Seen::responseMs).min().orElse(0) * RESPONSE + LEAST_MS;
        return serving.stream().filter(each -> each.responseMs() <= response).min(Comparator.comparingInt(Seen::size));
    }

    void take(Trial trial) {
        trials.add(trial);
    }

    /** Everything that was measured, in order. */
    List<Trial> trials() {
        return List.copyOf(trials);
    }

    /** The size that was found; empty if every size was ruled out. */
    OptionalInt answer() {
        Optional<Seen> edge = trials.isEmpty() ? Optional.empty() : edge(seen());
        return edge.isPresent() ? OptionalInt.of(edge.get().size()) : OptionalInt.empty();
    }
}
