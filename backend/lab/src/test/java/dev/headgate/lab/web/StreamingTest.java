package dev.headgate.lab.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Chart;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamingTest {

    private static Streaming.Cell served(Streaming.Way way, int readers) {
        return new Streaming.Cell(
                way, 301, readers, new Readers.Outcome(List.of(new Readers.Read(1, 2, 30, 1_000)), 0, 1), false);
    }

    private static Streaming.Cell failed(Streaming.Way way, int readers, boolean outOfMemory) {
        return new Streaming.Cell(way, 301, readers, new Readers.Outcome(List.of(), readers, 1), outOfMemory);
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
