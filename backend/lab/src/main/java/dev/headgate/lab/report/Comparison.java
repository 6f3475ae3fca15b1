package dev.headgate.lab.report;

import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Report;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.statistics.inference.MannWhitneyUTest;
import org.jspecify.annotations.Nullable;

/**
 * Two runs of one experiment, measure by measure. Whether a difference is more than chance is told by the test of Mann and Whitney
 * (1947), which compares ranks and so needs no assumption of how the samples are distributed.
 *
 * @param rows one for each measure that both runs have
 */
public record Comparison(List<Row> rows) {

    /** Below this probability of chance, a difference counts as one. */
    private static final double SIGNIFICANT = 0.05;

    /**
     * Of each measure, in each run: with fewer it is not compared. Three against three rank in 20 orders of equal chance, so even the clearest difference has a two-sided chance of
     * 0.1; four against four get down to 0.03.
     */
    public static final int LEAST_SAMPLES = 4;

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
     * @param chance the probability of such a difference between two runs of the same thing; null with too few samples
     */
    public record Row(
            String measure,
            String unit,
            double first,
            double second,
            double ratio,
            @Nullable Double chance,
            Outcome outcome) {}

    public static Comparison of(Report first, Report second) {
        List<Row> rows = new ArrayList<>();
        for (Measure one : first.measures()) {
            second.measures().stream()
                    .filter(other -> other.name().equals(one.name()))
                    .findFirst()
                    .ifPresent(other -> rows.add(row(one, other)));
        }
        return new Comparison(List.copyOf(rows));
    }

    private static Row row(Measure first, Measure second) {
        double a = first.median();
        double b = second.median();
        boolean few = Math.min(first.samples().size(), second.samples().size()) < LEAST_SAMPLES;
        Double chance = few ? null : chance(values(first), values(second));
        return new Row(
                first.name(),
                first.unit(),
                a,
                b,
                a == 0 ? 0 : b / a,
                chance,
                chance == null ? Outcome.TOO_FEW_SAMPLES : outcome(first.better(), a, b, chance));
    }

    /** 1 where all samples are equal: they have no order, and the test has no answer. */
    private static double chance(double[] first, double[] second) {
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
