package dev.headgate.lab.report;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Writes a report in Markdown (CommonMark with GitHub's tables). */
public final class MarkdownReport {

    private final StringBuilder text = new StringBuilder();

    private MarkdownReport() {}

    /** A report whose charts are tables of their values. */
    public static String of(Experiment experiment, Report report, SequencedMap<String, String> setUp) {
        return of(experiment, report, setUp, number -> Optional.empty());
    }

    /**
     * @param setUp what the run was measured with and on, by name
     * @param picture the address of a chart's picture by its number from 0; empty: its values stand there as a table
     */
    public static String of(
            Experiment experiment,
            Report report,
            SequencedMap<String, String> setUp,
            IntFunction<Optional<String>> picture) {
        MarkdownReport page = new MarkdownReport();
        page.paragraph("# " + experiment.name());
        page.paragraph(experiment.question() + " After " + experiment.source() + ".");
        page.findings(report.findings());
        for (int i = 0; i < report.charts().size(); i++) {
            page.chart(report.charts().get(i), picture.apply(i));
        }
        report.tables().forEach(table -> page.table(table.title(), table.columns(), table.rows()));
        page.measures(report.measures());
        if (!report.notes().isEmpty()) {
            page.paragraph("Notes:");
            report.notes()
                    .forEach(note -> page.text.append("- ").append(inline(note)).append('\n'));
            page.text.append('\n');
        }
        page.table(
                "Set-up",
                List.of("what", "value"),
                setUp.entrySet().stream()
                        .map(each -> List.of(each.getKey(), each.getValue()))
                        .toList());
        return page.text.toString().strip() + "\n";
    }

    private void findings(List<Finding> findings) {
        for (Finding finding : findings) {
            String verdict = switch (finding.verdict()) {
                case HOLDS -> "holds here";
                case DIFFERS -> "does not hold here";
                case UNDECIDED -> "cannot be told from this run";
            };
            text.append("- **")
                    .append(inline(finding.claim()))
                    .append("**: ")
                    .append(verdict)
                    .append(". ")
                    .append(inline(finding.here()))
                    .append('\n');
        }
        text.append('\n');
    }

    private void chart(Chart chart, Optional<String> picture) {
        if (picture.isPresent()) {
            paragraph("![" + inline(chart.title() + ": " + chart.sentence()) + "](" + picture.get() + ")");
            return;
        }
        TreeSet<Double> xs = new TreeSet<>();
        chart.lines().forEach(line -> xs.addAll(line.x()));
        List<String> columns = new ArrayList<>(List.of(chart.x().caption()));
        chart.lines().forEach(line -> columns.add(line.name()));
        List<List<String>> rows = new ArrayList<>();
        for (double x : xs) {
            List<String> row = new ArrayList<>(List.of(Numbers.text(x)));
            for (Chart.Line line : chart.lines()) {
                int at = line.x().indexOf(x);
                row.add(at < 0 ? "" : Numbers.text(line.y().get(at)));
            }
            rows.add(row);
        }
        table(chart.title() + " (" + chart.y().caption() + ")", columns, rows);
        paragraph(inline(chart.sentence()));
    }

    private void measures(List<Measure> measures) {
        if (measures.isEmpty()) {
            return;
        }
        table(
                "Measured",
                List.of("measure", "unit", "median", "least", "most", "samples"),
                measures.stream()
                        .map(each -> List.of(
                                each.name(),
                                each.unit(),
                                Numbers.text(each.median()),
                                Numbers.text(each.samples().stream()
                                        .mapToDouble(x -> x)
                                        .min()
                                        .orElseThrow()),
                                Numbers.text(each.samples().stream()
                                        .mapToDouble(x -> x)
                                        .max()
                                        .orElseThrow()),
                                Integer.toString(each.samples().size())))
                        .toList());
    }

    private void table(String title, List<String> columns, List<? extends List<String>> rows) {
        paragraph("**" + inline(title) + "**");
        row(columns);
        row(columns.stream().map(column -> "---").toList());
        rows.forEach(this::row);
        text.append('\n');
    }

    private void row(List<String> cells) {
        text.append("| ")
                .append(String.join(
                        " | ",
                        cells.stream()
                                .map(cell -> inline(cell).replace("|", "\\|"))
                                .toList()))
                .append(" |\n");
    }

    private void paragraph(String line) {
        text.append(line).append("\n\n");
    }

    private static String inline(String words) {
        return words.replace('\n', ' ').replace("<", "&lt;");
    }

    /**
     * The measures with one sample per line, as CSV (RFC 4180).
     *
     * @param origin columns that say on each line which run it is of, by heading
     */
    public static String samplesAsCsv(Report report, SequencedMap<String, String> origin) {
        String headings = origin.keySet().stream().map(each -> "," + each).collect(Collectors.joining());
        String same = origin.values().stream().map(each -> "," + quoted(each)).collect(Collectors.joining());
        StringBuilder csv = new StringBuilder("measure,unit,sample,value" + headings + "\r\n");
        for (Measure measure : report.measures()) {
            for (int i = 0; i < measure.samples().size(); i++) {
                csv.append(quoted(measure.name()))
                        .append(',')
                        .append(measure.unit())
                        .append(',')
                        .append(i + 1)
                        .append(',')
                        .append(measure.samples().get(i))
                        .append(same)
                        .append("\r\n");
            }
        }
        return csv.toString();
    }

    private static String quoted(String words) {
        return '"' + words.replace("\"", "\"\"") + '"';
    }
}
