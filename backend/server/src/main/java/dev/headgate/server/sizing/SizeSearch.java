package dev.headgate.server.sizing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds the smallest size that is as good as the best: it serves {@value Bar#THROUGHPUT} of the most throughput, or all that arrives; and
 * its response is at most {@value Bar#RESPONSE} times the shortest of such sizes ({@link Bar}).
 *
 * <h2>Why both</h2>
 *
 * If callers come again as soon as they are answered, throughput rises with the size up to the knee and then stays flat or falls. If they
 * come at a rate of their own, throughput says nothing, and differs by chance alone: with too few connections they wait, with too many the
 * database slows down, and only the response tells. Where hardly anybody waits, or connections are left over and the difference is small
 * enough for chance, the size is no limit, so a lower throughput is the load's ({@link Seen#serves}). Where requests are refused it is a
 * limit, although nobody waits.
 *
 * <h2>How</h2>
 *
 * The size in force is measured first. Then sizes double while that helps, then they halve while that does not hurt, and bisection finds
 * the edge. So no size is tried that is much smaller than one that was good. At the end three sizes are measured again,
 * until they have been measured {@value #LOOKS} times: the edge, its neighbour, and the size that the neighbour is said to fall short of.
 * So no single trial decides, neither one of a size that is judged nor one of the size by which others are judged. The largest size is
 * measured a second time before it is said not to help. What counts is a size's median, of two the better one: what disturbs a trial only
 * makes it worse.
 *
 * <p>Within the sizes that are still in question the {@link LoadModel} says where to look: the size that it expects to be the edge, then
 * the next smaller one. Where it expects none of them, the middle. It saves trials; what counts is what was measured.
 *
 * <p>A state machine without clock and threads: {@link #next} names a size, {@link #take} is told what it gave. Belongs to one thread.
 */
final class SizeSearch {

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
        Optional<Bar> bar = Bar.of(seen.values());
        if (bar.isEmpty()) {
            return OptionalInt.empty();
        }
        Seen edge = bar.get().edge(seen.values());
        Map.Entry<Integer, Seen> below = seen.lowerEntry(edge.size());
        if (below == null) {
            return edge.size() == least ? again(Stream.of(edge)) : OptionalInt.of(Math.max(least, edge.size() / 2));
        }
        Seen smaller = below.getValue();
        if (edge.size() - smaller.size() > 1) {
            return OptionalInt.of(between(smaller.size(), edge.size(), seen));
        }
        return again(smaller.counts() ? Stream.of(edge, smaller, bar.get().above(smaller)) : Stream.of(edge));
    }

    private int between(int below, int edge, NavigableMap<Integer, Seen> seen) {
        OptionalInt expected = trials.size() < MOST_BY_MODEL ? expected(seen) : OptionalInt.empty();
        int guess = expected.isPresent() && expected.getAsInt() == edge ? edge - 1 : expected.orElse(0);
        return guess > below && guess < edge ? guess : (edge + below) / 2;
    }

    /** The edge, as the model expects it. */
    private OptionalInt expected(NavigableMap<Integer, Seen> seen) {
        return LoadModel.of(seen.values())
                .flatMap(model -> edge(
                        IntStream.rangeClosed(least, most).mapToObj(model::at).toList()))
                .map(edge -> OptionalInt.of(edge.size()))
                .orElseGet(OptionalInt::empty);
    }

    /** The edge that the model expects by all that was measured; empty while that says nothing. */
    OptionalInt expected() {
        return trials.isEmpty() ? OptionalInt.empty() : expected(seen());
    }

    /** The first of the sizes that was not measured often enough; empty if all were. */
    private static OptionalInt again(Stream<Seen> sizes) {
        return sizes.filter(each -> each.looks() < LOOKS).mapToInt(Seen::size).findFirst();
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
        Optional<Seen> most = smaller.stream().max(Comparator.comparingDouble(Seen::perSecond));
        double response = smaller.stream().mapToDouble(Seen::responseMs).min().orElse(Double.MAX_VALUE);
        return most.isEmpty()
                || largest.perSecond() > HELPS * most.get().perSecond()
                || (largest.serves(most.get()) && largest.responseMs() * HELPS < response - Bar.LEAST_MS);
    }

    /** The smallest size that is as good as the best; empty if none counts. */
    private static Optional<Seen> edge(Collection<Seen> sizes) {
        return Bar.of(sizes).map(bar -> bar.edge(sizes));
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
        Optional<Seen> edge = trials.isEmpty() ? Optional.empty() : edge(seen().values());
        return edge.isPresent() ? OptionalInt.of(edge.get().size()) : OptionalInt.empty();
    }
}
