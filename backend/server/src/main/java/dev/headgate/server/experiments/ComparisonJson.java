package dev.headgate.server.experiments;

import dev.headgate.lab.report.Comparison;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Two runs of one experiment.
 *
 * @param first the run that the other one is compared with
 * @param sameSetUp whether machine, versions and values were the same
 * @param rows one for each measure of both
 */
@Schema(name = "ExperimentComparison")
record ComparisonJson(String experiment, String first, String second, boolean sameSetUp, List<RowJson> rows) {

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

    static ComparisonJson of(ExperimentRun first, ExperimentRun second, Comparison comparison) {
        return new ComparisonJson(
                first.experiment(),
                Long.toString(first.id()),
                Long.toString(second.id()),
                first.setUp().sameAs(second.setUp()) && first.values().equals(second.values()),
                comparison.rows().stream()
                        .map(row -> new RowJson(
                                row.measure(),
                                row.unit(),
                                row.first(),
                                row.second(),
                                row.ratio(),
                                row.chance(),
                                row.outcome().name().toLowerCase(Locale.ROOT).replace('_', '-')))
                        .toList());
    }
}
