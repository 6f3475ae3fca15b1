package dev.headgate.lab.report;

import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Report;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.statistics.inference.MannWhitneyUTest;
import org.jspecify.annotations.Nullable;

/**
 * Two runs, measure by measure: of one experiment, or of two that measure the same. Whether their samples differ is told by the test of Mann and Whitney (1947), which
 * compares ranks and so needs no assumption of how the samples are distributed. Of many measures some differ by chance, so the
 * probabilities are corrected by the step-down procedure of Holm ("A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6, 1979): one comparison in twenty at most finds any difference where there is none.
 *
 * <p>The samples are repetitions within one run each. So a difference tells that the two runs differ, and not why: a machine that was
 * slower during one of them makes a difference, too. What a change did is told by several runs before and after it, in turns.
 *
 * @param rows one for each measure that both runs have, of one name and unit
 * @param firstOnly what the first run measured and the second did not
 * @param secondOnly what the second run measured and the first did not
 */
public record Comparison(List<Row> rows, List<Measure> firstOnly, List<Measure> secondOnly) {

    /** Below this probability of chance, a difference counts as one. */
    private static final double SIGNIFICANT = 0.05;

    /** So many samples of both runs, of which some are equal, are compared exactly and not by a normal distribution. */
    private static final int FEW = 100;

    /** What a difference is. */
    public enum Outcome {
        BETTER,
        WORSE,
        /** A difference of a measure of which neither direction is better. */
        DIFFERENT,
        /** It may be chance. */
        NO_DIFFERENCE,
        TOO_FEW_SAMPLES
    }

    /**
     * @param first the median of the first run
     * @param second the median of the second run
     * @param ratio of second to first; 0 if the first is 0
     * @param chance the probability that samples which do not differ are ranked so differently, corrected for the number of measures;
     *     null with too few samples
     */
    public record Row(
            String measure,
            String unit,
            double first,
            double second,
            double ratio,
            @Nullable Double chance,
            Outcome outcome) {}

    /** A measure of both runs. */
    private record Pair(Measure first, Measure second) {

        int samples() {
            return Math.min(first.samples().size(), second.samples().size());
        }
    }

    public static Comparison of(Report first, Report second) {
        List<Pair> pairs = new ArrayList<>();
        List<Measure> firstOnly = new ArrayList<>();
        List<Measure> secondOnly = new ArrayList<>(second.measures());
        for (Measure one : first.measures()) {
            secondOnly.stream()
                    .filter(one::isSameAs)
                    .findFirst()
                    .ifPresentOrElse(
                            other -> {
                                pairs.add(new Pair(one, other));
                                secondOnly.remove(other);
                            },
                            () -> firstOnly.add(one));
        }
        int least = leastSamples(pairs.size());
        double[] chances = corrected(pairs.stream()
                .mapToDouble(pair -> pair.samples() < least ? 1 : chance(values(pair.first()), values(pair.second())))
                .toArray());
        return new Comparison(
                IntStream.range(0, pairs.size())
                        .mapToObj(i -> row(pairs.get(i), pairs.get(i).samples() < least ? null : chances[i]))
                        .toList(),
                List.copyOf(firstOnly),
                List.copyOf(secondOnly));
    }

    /**
     * How many samples both runs need of each of some measures. With fewer even the clearest difference may be chance: n against n
     * samples rank in (2n)!/(n!n!) orders of equal chance, of which two are the clearest, and the correction multiplies that by the
     * number of measures. One measure takes 4 samples, eight take 6.
     */
    public static int leastSamples(int measures) {
        int samples = 1;
        for (double orders = 2; 2 * measures / orders >= SIGNIFICANT; samples++) {
            orders *= 2.0 * (2 * samples + 1) / (samples + 1);
        }
        return samples;
    }

    /** By Holm: the smallest is multiplied by their number, the next one by one less; none gets smaller than the one before it. */
    static double[] corrected(double... chances) {
        List<Integer> ascending = IntStream.range(0, chances.length)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> chances[i]))
                .toList();
        double[] corrected = new double[chances.length];
        double before = 0;
        for (int rank = 0; rank < chances.length; rank++) {
            int i = ascending.get(rank);
            before = Math.max(before, Math.min(1, (chances.length - rank) * chances[i]));
            corrected[i] = before;
        }
        return corrected;
    }

    private static Row row(Pair pair, @Nullable Double chance) {
        double a = pair.first().median();
        double b = pair.second().median();
        return new Row(
                pair.first().name(),
                pair.first().unit(),
                a,
                b,
                a == 0 ? 0 : b / a,
                chance,
                chance == null ? Outcome.TOO_FEW_SAMPLES : outcome(pair.first().better(), a, b, chance));
    }

    /** 1 where all samples are equal: they have no order, and the test by a normal distribution has no answer. */
    private static double chance(double[] first, double[] second) {
        if (first.length + second.length <= FEW && RankSum.hasEqual(first, second)) {
            return RankSum.chance(first, second);
        }
        double chance = MannWhitneyUTest.withDefaults().test(first, second).getPValue();
        return Double.isNaN(chance) ? 1 : chance;
    }

    private static Outcome outcome(Better better, double first, double second, double chance) {
        if (chance >= SIGNIFICANT || first == second) {
            return Outcome.NO_DIFFERENCE;
        }
        return switch (better) {
            case NEITHER -> Outcome.DIFFERENT;
            case MORE -> second > first ? Outcome.BETTER : Outcome.WORSE;
            case LESS -> second < first ? Outcome.BETTER : Outcome.WORSE;
        };
    }

    private static double[] values(Measure measure) {
        return measure.samples().stream().mapToDouble(value -> value).toArray();
    }
}
