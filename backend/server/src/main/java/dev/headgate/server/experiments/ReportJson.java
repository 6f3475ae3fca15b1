package dev.headgate.server.experiments;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Table;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Locale;

/**
 * What a run found.
 *
 * @param findings in words, the most important one first
 * @param charts drawn from this run's own data
 * @param tables figures in rows, as text
 * @param measures figures with their samples, by which two runs are compared
 * @param notes what a reader must know to judge the figures
 */
@Schema(name = "ExperimentReport")
record ReportJson(
        List<FindingJson> findings,
        List<ChartJson> charts,
        List<TableJson> tables,
        List<MeasureJson> measures,
        List<String> notes) {

    /**
     * A statement, and whether it holds here.
     *
     * @param claim what was stated
     * @param here what was measured
     */
    @Schema(name = "ExperimentFinding")
    record FindingJson(
            String claim,

            @Schema(allowableValues = {"holds", "differs", "undecided"})
            String verdict,

            String here) {

        static FindingJson of(Finding finding) {
            return new FindingJson(finding.claim(), lower(finding.verdict()), finding.here());
        }
    }

    /**
     * A chart of numbers over numbers.
     *
     * @param sentence what it shows
     */
    @Schema(name = "ExperimentChart")
    record ChartJson(String title, AxisJson x, AxisJson y, List<LineJson> lines, String sentence) {

        static ChartJson of(Chart chart) {
            return new ChartJson(
                    chart.title(),
                    AxisJson.of(chart.x()),
                    AxisJson.of(chart.y()),
                    chart.lines().stream().map(LineJson::of).toList(),
                    chart.sentence());
        }
    }

    /** @param unit empty without one */
    @Schema(name = "ExperimentAxis")
    record AxisJson(String title, String unit, boolean logarithmic) {

        static AxisJson of(Chart.Axis axis) {
            return new AxisJson(axis.title(), axis.unit(), axis.logarithmic());
        }
    }

    /**
     * @param x in rising order
     * @param y as many as x
     */
    @Schema(name = "ExperimentLine")
    record LineJson(
            String name,

            @Schema(allowableValues = {"line", "dashed", "steps", "points"})
            String style,

            List<Double> x,
            List<Double> y) {

        static LineJson of(Chart.Line line) {
            return new LineJson(line.name(), lower(line.style()), line.x(), line.y());
        }
    }

    /** @param rows each with as many cells as there are columns */
    @Schema(name = "ExperimentTable")
    record TableJson(String title, List<String> columns, List<List<String>> rows) {

        static TableJson of(Table table) {
            return new TableJson(table.title(), table.columns(), table.rows());
        }
    }

    /**
     * @param better which values are wished for
     * @param samples one for each repetition
     */
    @Schema(name = "ExperimentMeasure")
    record MeasureJson(
            String name,
            String unit,

            @Schema(allowableValues = {"more", "less", "neither"})
            String better,

            double median,
            List<Double> samples) {

        static MeasureJson of(Measure measure) {
            return new MeasureJson(
                    measure.name(), measure.unit(), lower(measure.better()), measure.median(), measure.samples());
        }
    }

    static ReportJson of(Report report) {
        return new ReportJson(
                report.findings().stream().map(FindingJson::of).toList(),
                report.charts().stream().map(ChartJson::of).toList(),
                report.tables().stream().map(TableJson::of).toList(),
                report.measures().stream().map(MeasureJson::of).toList(),
                report.notes());
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
