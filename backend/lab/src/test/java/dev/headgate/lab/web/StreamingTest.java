package dev.headgate.lab.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StreamingTest {

    /** On a real server and processes with a small heap: held whole, 989 rows for 32 readers are more than it, streamed they are not. */
    @Test
    void everyNumberOfRowsAndReadersIsReadBothWays() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(
                    new Streaming(List.of(301, 989), List.of(4, 32)),
                    Form.QUICK,
                    Map.of("readerKb", 1e6, "seconds", 60.0));

            assertThat(report.findings()).hasSize(4);
            assertThat(report.findings().get(1).verdict())
                    .as(report.findings().get(1).here())
                    .isEqualTo(Finding.Verdict.HOLDS);
            assertThat(report.charts())
                    .hasSize(2)
                    .allSatisfy(chart -> assertThat(chart.lines()).hasSizeGreaterThanOrEqualTo(4));
            List<List<String>> rows = report.tables().getFirst().rows();
            assertThat(rows)
                    .extracting(row -> row.get(0) + " rows, " + row.get(1) + " readers, " + row.get(2))
                    .containsExactly(
                            "301 rows, 4 readers, streamed",
                            "301 rows, 4 readers, in memory first",
                            "301 rows, 32 readers, streamed",
                            "301 rows, 32 readers, in memory first",
                            "989 rows, 4 readers, streamed",
                            "989 rows, 4 readers, in memory first",
                            "989 rows, 32 readers, streamed",
                            "989 rows, 32 readers, in memory first");
            assertThat(rows)
                    .filteredOn(row -> row.get(2).equals("streamed"))
                    .extracting(List::getLast)
                    .containsOnly("");
            assertThat(rows.getLast().getLast()).isEqualTo("out of memory");
            assertThat(report.measures())
                    .isNotEmpty()
                    .allMatch(measure -> measure.name().endsWith("close of 301 rows"));
            assertThat(report.notes()).hasSize(3);
        }
    }

    private static Streaming.Cell served(Streaming.Way way, int readers) {
        return new Streaming.Cell(way, 301, readers, List.of(round(1)), false);
    }

    private static Readers.Outcome round(double seconds) {
        return new Readers.Outcome(List.of(new Readers.Read(1, 2, 30, 1_000)), 0, seconds);
    }

    private static Streaming.Cell failed(Streaming.Way way, int readers, boolean outOfMemory) {
        return new Streaming.Cell(way, 301, readers, List.of(new Readers.Outcome(List.of(), readers, 1)), outOfMemory);
    }

    @Test
    void bothWaysTakeTurnsUntilEnoughIsMeasured() throws Exception {
        assertThat(order(0, 0.1)).isEqualTo("SM MS SM MS SM");
        assertThat(order(1, 0.6)).isEqualTo("MS SM MS SM");
        assertThat(order(1, 3)).isEqualTo("MS");
    }

    /** The first letters of the ways in the order in which they are measured, round by round. */
    private static String order(int number, double seconds) throws Exception {
        StringBuilder order = new StringBuilder();
        List<Streaming.Cell> cells = Streaming.inTurn(301, 4, number, cell -> {
            order.append(order.length() % 3 == 2 ? " " : "")
                    .append(cell.way().name().charAt(0));
            return cell.with(round(seconds), false);
        });
        assertThat(cells)
                .extracting(Streaming.Cell::way)
                .containsExactly(Streaming.Way.STREAMED, Streaming.Way.MATERIALISED);
        return order.toString();
    }

    @Test
    void aFailureIsTheLastRoundAndBothWaysHadIt() throws Exception {
        List<Streaming.Cell> cells = Streaming.inTurn(
                301,
                4,
                0,
                cell -> cell.way() == Streaming.Way.STREAMED
                        ? cell.with(new Readers.Outcome(List.of(), 4, 0.1), true)
                        : cell.with(round(0.1), false));
        assertThat(cells).extracting(cell -> cell.rounds().size()).containsExactly(1, 1);
        assertThat(cells).extracting(Streaming.Cell::outOfMemory).containsExactly(true, false);
    }

    @Test
    void oneSlowRoundDoesNotDecideTheThroughput() {
        Streaming.Cell streamed =
                new Streaming.Cell(Streaming.Way.STREAMED, 301, 4, List.of(round(9), round(1), round(1.1)), false);
        Streaming.Cell materialised =
                new Streaming.Cell(Streaming.Way.MATERIALISED, 301, 4, List.of(round(1), round(1), round(1)), false);
        assertThat(Streaming.throughput(List.of(streamed, materialised)).verdict())
                .isEqualTo(Finding.Verdict.HOLDS);
    }

    @Test
    void aChartTellsOutOfMemoryFromOtherFailures() {
        Chart chart = Streaming.chart(
                List.of(
                        served(Streaming.Way.STREAMED, 4),
                        served(Streaming.Way.MATERIALISED, 4),
                        failed(Streaming.Way.STREAMED, 32, false),
                        failed(Streaming.Way.MATERIALISED, 32, true),
                        failed(Streaming.Way.MATERIALISED, 128, true)),
                301);
        assertThat(chart.lines())
                .extracting(Chart.Line::name)
                .containsExactly(
                        "streamed, first byte",
                        "streamed, first row",
                        "streamed, close",
                        "in memory first, first byte",
                        "in memory first, first row",
                        "in memory first, close",
                        "streamed, failed",
                        "in memory first, out of memory");
        assertThat(chart.lines().getLast())
                .isEqualTo(new Chart.Line(
                        "in memory first, out of memory",
                        Chart.Style.POINTS,
                        List.of(32.0, 128.0),
                        List.of(30.0, 30.0)));
    }
}
