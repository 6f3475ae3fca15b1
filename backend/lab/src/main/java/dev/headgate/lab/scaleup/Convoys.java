package dev.headgate.lab.scaleup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.apache.commons.statistics.distribution.PoissonDistribution;

/**
 * Finds convoys: times at which the throughput of several databases dips together.
 *
 * <h2>The rule</h2>
 *
 * If databases work independently and requests arrive at random, the completions of a window are Poisson distributed around the
 * database's mean, and a window that is low at one database says nothing of the others. A convoy is a time at which so many are so low
 * together that chance does not explain it:
 *
 * <ol>
 *   <li>Every run of 1, 2, 3, 4, 6 or 8 consecutive windows is looked at (a scan statistic).
 *   <li>For each database, {@code p} is the Poisson probability of so few completions or fewer, given its mean over the whole series.
 *       It is 1 if the completions are more than half of the mean's: a dip that does not halve the throughput is none.
 *   <li>The databases are sorted by {@code p}. For each {@code k} from 2 up, the probability that {@code k} or more of {@code n}
 *       independent databases have a {@code p} of at most the {@code k}-th is a binomial tail. So one database that stands still alone
 *       is no convoy, however long it stands.
 *   <li>The least of these probabilities, times the number of values of {@code k} and times the number of runs looked at (Bonferroni),
 *       bounds the chance of seeing such a thing anywhere in the series. Below {@value #CHANCE} it is a convoy of the {@code k} lowest.
 *   <li>Of runs that overlap, the least probable one counts. Runs that touch are one convoy.
 * </ol>
 *
 * <p>The rule errs on the side of silence: Poisson values are discrete, overlapping runs are counted as if they were independent, and a
 * convoy lowers the mean that it is compared with. It needs windows with several completions: with {@code m} expected in a window, two
 * databases that stand still together are seen after about {@code 11 / m} windows, eight after about {@code 3 / m}.
 *
 * <p>Completions that vary more than Poisson's (requests that come in bursts) look like convoys if the bursts are common to the databases.
 */
public final class Convoys {

    /** The most chance of finding a convoy in series without one. */
    static final double CHANCE = 1e-6;

    private static final int[] LENGTHS = {1, 2, 3, 4, 6, 8};
    private static final double DIP = 0.5;

    /**
     * Databases that dipped together.
     *
     * @param from the first window, from 0
     * @param to the first window after it
     * @param databases their indexes in the series, in rising order, at least two
     * @param chance a bound for the probability of such a dip by chance, anywhere in the series
     */
    public record Convoy(int from, int to, List<Integer> databases, double chance) {

        public Convoy {
            databases = List.copyOf(databases);
        }

        /** Whether it and another time overlap. */
        public boolean overlaps(double otherFrom, double otherTo) {
            return from < otherTo && otherFrom < to;
        }
    }

    private Convoys() {}

    /**
     * Finds the convoys in the completions of several databases. Without state; takes about a microsecond for each window and database.
     *
     * @param completions for each database the completions of each window, all of the same length
     * @return in order of time, without overlaps
     */
    public static List<Convoy> in(List<int[]> completions) {
        int windows = completions.isEmpty() ? 0 : completions.getFirst().length;
        if (completions.stream().anyMatch(each -> each.length != windows)) {
            throw new IllegalArgumentException("the series must have the same length");
        }
        if (completions.size() < 2) {
            return List.of();
        }
        int runs = Arrays.stream(LENGTHS)
                .map(length -> Math.max(0, windows - length + 1))
                .sum();
        List<Convoy> found = new ArrayList<>();
        for (int length : LENGTHS) {
            List<Series> all =
                    completions.stream().map(each -> new Series(each, length)).toList();
            for (int from = 0; from + length <= windows; from++) {
                Convoy dip = lowest(all, from, length);
                double chance = dip.chance() * runs;
                if (chance < CHANCE) {
                    found.add(new Convoy(from, from + length, dip.databases(), chance));
                }
            }
        }
        return merged(found);
    }

    /** One database's completions, seen in runs of one length. */
    private static final class Series {

        private final int[] completions;
        private final int length;
        /** The probability of 0, 1, ... completions or fewer, as far as these are a dip. */
        private final double[] atMost;

        Series(int[] completions, int length) {
            this.completions = completions;
            this.length = length;
            this.atMost = atMost(length * Arrays.stream(completions).average().orElse(0));
        }

        private static double[] atMost(double expected) {
            if (expected <= 0) {
                return new double[0]; // what has always stood still cannot dip
            }
            PoissonDistribution poisson = PoissonDistribution.of(expected);
            return IntStream.rangeClosed(0, (int) (DIP * expected))
                    .mapToDouble(poisson::cumulativeProbability)
                    .toArray();
        }

        double chance(int from) {
            int sum = 0;
            for (int i = from; i < from + length; i++) {
                sum += completions[i];
            }
            return sum < atMost.length ? atMost[sum] : 1;
        }
    }

    /** The least probable joint dip of two or more databases in one run of windows, with its probability there. */
    private static Convoy lowest(List<Series> all, int from, int length) {
        int n = all.size();
        double[] chances = all.stream().mapToDouble(each -> each.chance(from)).toArray();
        List<Integer> order = IntStream.range(0, n)
                .boxed()
                .sorted(Comparator.comparingDouble(each -> chances[each]))
                .toList();
        double least = 1;
        int lowest = 2;
        for (int k = 2; k <= n && chances[order.get(k - 1)] < 1; k++) {
            double chance =
                    BinomialDistribution.of(n, chances[order.get(k - 1)]).survivalProbability(k - 1);
            if (chance < least) {
                least = chance;
                lowest = k;
            }
        }
        return new Convoy(
                from, from + length, order.subList(0, lowest).stream().sorted().toList(), Math.min(1, least * (n - 1)));
    }

    private static List<Convoy> merged(List<Convoy> found) {
        List<Convoy> kept = new ArrayList<>();
        found.stream().sorted(Comparator.comparingDouble(Convoy::chance)).forEach(each -> {
            if (kept.stream().noneMatch(other -> other.overlaps(each.from(), each.to()))) {
                kept.add(each);
            }
        });
        kept.sort(Comparator.comparingInt(Convoy::from));
        List<Convoy> merged = new ArrayList<>();
        for (Convoy each : kept) {
            Convoy last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && last.to() == each.from()) {
                merged.set(merged.size() - 1, union(last, each));
            } else {
                merged.add(each);
            }
        }
        return List.copyOf(merged);
    }

    private static Convoy union(Convoy one, Convoy next) {
        return new Convoy(
                one.from(),
                next.to(),
                IntStream.concat(
                                one.databases().stream().mapToInt(x -> x),
                                next.databases().stream().mapToInt(x -> x))
                        .distinct()
                        .sorted()
                        .boxed()
                        .toList(),
                Math.min(one.chance(), next.chance()));
    }
}
