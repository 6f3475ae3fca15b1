package dev.headgate.server.experiments;

import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.report.Comparison;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Two runs, measure by measure.
 *
 * @param experiment of the first run
 * @param secondExperiment of the second run
 * @param first the run that the other one is compared with
 * @param sameSetUp whether experiment, machine, versions and values were the same
 * @param rows one for each measure of both, by name and unit
 * @param firstOnly what the first run measured and the second did not
 * @param secondOnly what the second run measured and the first did not
 */
@Schema(name = "ExperimentComparison")
record ComparisonJson(
        String experiment,
        String secondExperiment,
        String first,
        String second,
        boolean sameSetUp,
        List<RowJson> rows,
        List<OnlyJson> firstOnly,
        List<OnlyJson> secondOnly) {

    /**
     * @param first the median of the first run
     * @param second the median of the second run
     * @param ratio of second to first; 0 if the first is 0
     * @param chance the probability that samples which do not differ are ranked so differently (Mann-Whitney), corrected for the number
     *     of measures (Holm); null with too few samples. Samples are of one run each, so it leaves out that the machine may have been
     *     slower during one
     * @param outcome of the second run; a chance below 0.05 makes a difference
     */
    @Schema(name = "ExperimentComparisonRow")
    record RowJson(
            String measure,
            String unit,
            double first,
            double second,
            double ratio,
            @Nullable Double chance,

            @Schema(allowableValues = {"better", "worse", "different", "no-difference", "too-few-samples"})
            String outcome) {}

    /** A measure that only one of the runs has, with its median. */
    @Schema(name = "ExperimentComparisonOnly")
    record OnlyJson(String measure, String unit, double median) {

        static List<OnlyJson> of(List<Measure> measures) {
            return measures.stream()
                    .map(measure -> new OnlyJson(measure.name(), measure.unit(), measure.median()))
                    .toList();
        }
    }

    static ComparisonJson of(ExperimentRun first, ExperimentRun second, Comparison comparison) {
        return new ComparisonJson(
                first.experiment(),
                second.experiment(),
                Long.toString(first.id()),
                Long.toString(second.id()),
                first.experiment().equals(second.experiment())
                        && first.setUp().sameAs(second.setUp())
                        && first.values().equals(second.values()),
                comparison.rows().stream()
                        .map(row -> new RowJson(
                                row.measure(),
                                row.unit(),
                                row.first(),
                                row.second(),
                                row.ratio(),
                                row.chance(),
                                row.outcome().name().toLowerCase(Locale.ROOT).replace('_', '-')))
                        .toList(),
                OnlyJson.of(comparison.firstOnly()),
                OnlyJson.of(comparison.secondOnly()));
    }
}
