package dev.headgate.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.Table;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.commons.statistics.inference.MannWhitneyUTest;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ReportTest {

    private static final Chart CHART = new Chart(
            "Latency <of> pools",
            Chart.Axis.of("connections", ""),
            Chart.Axis.logarithmic("latency", "ms"),
            List.of(
                    new Chart.Line("fixed", Chart.Style.LINE, List.of(1.0, 2.0, 4.0), List.of(1.0, 10.0, 100.0)),
                    new Chart.Line("cap", Chart.Style.STEPS, List.of(1.0, 4.0), List.of(25.0, 25.0))),
            "It grows.");

    private static Report report(Measure... measures) {
        return new Report(
                List.of(Finding.of("latency grows", true, "From 1 to 100 ms.")),
                List.of(CHART),
                List.of(new Table("Sizes", List.of("size", "ms"), List.of(List.of("1 | 2", "3")))),
                List.of(measures),
                List.of("The generator was the bottleneck."));
    }

    private static Measure measure(Better better, double... samples) {
        return new Measure("throughput", "1/s", better, boxed(samples));
    }

    private static final Experiment EXPERIMENT = new Experiment() {
        @Override
        public String name() {
            return "sweep";
        }

        @Override
        public String question() {
            return "Does it grow?";
        }

        @Override
        public String source() {
            return "Nobody, Fig 1";
        }

        @Override
        public List<Parameter> parameters() {
            return List.of();
        }

        @Override
        public Report run(Run run) {
            return report();
        }
    };

    private static final SequencedMap<String, String> SET_UP = new LinkedHashMap<>();

    static {
        SET_UP.put("run", "7");
        SET_UP.put("Headgate", "0.1.0+abc");
    }

    @Test
    void markdownTellsFindingsValuesAndTheRun() {
        assertThat(MarkdownReport.of(EXPERIMENT, report(measure(Better.MORE, 3, 1, 2)), SET_UP))
                .isEqualTo("""
                        # sweep

                        Does it grow? After Nobody, Fig 1.

                        - **latency grows**: holds here. From 1 to 100 ms.

                        **Latency &lt;of> pools (latency, ms)**

                        | connections | fixed | cap |
                        | --- | --- | --- |
                        | 1 | 1 | 25 |
                        | 2 | 10 |  |
                        | 4 | 100 | 25 |

                        It grows.

                        **Sizes**

                        | size | ms |
                        | --- | --- |
                        | 1 \\| 2 | 3 |

                        **Measured**

                        | measure | unit | median | least | most | samples |
                        | --- | --- | --- | --- | --- | --- |
                        | throughput | 1/s | 2 | 1 | 3 | 3 |

                        Notes:

                        - The generator was the bottleneck.

                        **Set-up**

                        | what | value |
                        | --- | --- |
                        | run | 7 |
                        | Headgate | 0.1.0+abc |
                        """);
        assertThat(MarkdownReport.of(EXPERIMENT, report(), SET_UP, number -> Optional.of("sweep-" + number + ".svg")))
                .contains("![Latency &lt;of> pools: It grows.](sweep-0.svg)")
                .doesNotContain("| connections |");
        assertThat(MarkdownReport.samplesAsCsv(report(measure(Better.MORE, 3, 1)), SET_UP))
                .isEqualTo("measure,unit,sample,value,run,Headgate\r\n"
                        + "\"throughput\",1/s,1,3.0,\"7\",\"0.1.0+abc\"\r\n"
                        + "\"throughput\",1/s,2,1.0,\"7\",\"0.1.0+abc\"\r\n");
    }

    @Test
    void aPictureIsWellFormedAndItsLogarithmicAxisKeepsRatios() throws Exception {
        Document svg = picture(List.of(CHART), 0);
        assertThat(svg.getElementsByTagName("title").item(0).getTextContent()).isEqualTo("Latency <of> pools");
        String[] points = ((Element) svg.getElementsByTagName("polyline").item(0))
                .getAttribute("points")
                .split(" ");
        double first = Double.parseDouble(points[0].split(",")[1]);
        double second = Double.parseDouble(points[1].split(",")[1]);
        double third = Double.parseDouble(points[2].split(",")[1]);
        assertThat(first - second).isEqualTo(second - third, Offset.offset(0.2));
        assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(2);
    }

    @Test
    void aNameHasOneColourInAllPicturesOfAReport() throws Exception {
        Chart both = new Chart("Both", CHART.x(), CHART.y(), List.of(line("gold"), line("bronze")), "Both.");
        Chart bronze = new Chart("Bronze", CHART.x(), CHART.y(), List.of(line("bronze")), "Bronze alone.");
        List<String> ofBoth = colours(picture(List.of(both, bronze), 0));
        assertThat(ofBoth).hasSize(2).doesNotHaveDuplicates();
        assertThat(colours(picture(List.of(both, bronze), 1))).containsExactly(ofBoth.getLast());
    }

    private static Chart.Line line(String name) {
        return new Chart.Line(name, Chart.Style.LINE, List.of(1.0, 2.0), List.of(1.0, 2.0));
    }

    private static Document picture(List<Chart> charts, int number) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(ChartSvg.of(charts, number).getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> colours(Document svg) {
        NodeList curves = svg.getElementsByTagName("polyline");
        return IntStream.range(0, curves.getLength())
                .mapToObj(each -> ((Element) curves.item(each)).getAttribute("stroke"))
                .toList();
    }

    @Test
    void twoRunsAreComparedBySignificance() {
        Comparison.Row faster = compare(Better.MORE, new double[] {10, 11, 12, 10.5}, new double[] {20, 21, 22, 23});
        assertThat(faster.outcome()).isEqualTo(Comparison.Outcome.BETTER);
        assertThat(faster.ratio()).isBetween(1.9, 2.1);
        assertThat(compare(Better.LESS, new double[] {10, 11, 12, 10.5}, new double[] {20, 21, 22, 23})
                        .outcome())
                .isEqualTo(Comparison.Outcome.WORSE);
        assertThat(compare(Better.LESS, new double[] {10, 11, 12, 13}, new double[] {10.5, 12.5, 11.5, 12})
                        .outcome())
                .isEqualTo(Comparison.Outcome.NO_DIFFERENCE);
        assertThat(compare(Better.LESS, new double[] {1, 2, 3, 4}, new double[] {10, 20, 30, 40})
                        .chance())
                .isLessThan(0.05);
    }

    /** A run with other values measures other things, and one of another experiment hardly anything that this one does. */
    @Test
    void whatOnlyOneRunMeasuredIsNotLost() {
        Measure calls = new Measure("calls", "1/s", Better.MORE, boxed(1, 2, 3));
        Measure wait = new Measure("wait", "ms", Better.LESS, boxed(4, 5, 6));
        Measure inMicros = new Measure("wait", "µs", Better.LESS, boxed(4_000, 5_000));
        Comparison compared = Comparison.of(report(calls, wait), report(inMicros, calls));
        assertThat(compared.rows()).extracting(Comparison.Row::measure).containsExactly("calls");
        assertThat(compared.firstOnly()).containsExactly(wait);
        assertThat(compared.secondOnly()).containsExactly(inMicros);
    }

    /** They have no order, so the test has no answer. */
    @Test
    void equalSamplesAreNoDifference() {
        Comparison.Row row = compare(Better.LESS, new double[] {1, 1, 1, 1}, new double[] {1, 1, 1, 1});
        assertThat(row.outcome()).isEqualTo(Comparison.Outcome.NO_DIFFERENCE);
        assertThat(row.chance()).isEqualTo(1);
    }

    /** By a normal distribution the chance would be 0.020, 0.013 and 0.042. */
    @Test
    void theChanceOfFewSamplesOfWhichSomeAreEqualIsExact() {
        double[] ones = {1, 1, 1, 1, 1};
        double[] rather = {2, 1, 2, 2, 2};
        assertThat(compare(Better.LESS, ones, rather).chance()).isCloseTo(12.0 / 252, Offset.offset(1e-9));
        assertThat(compare(Better.LESS, new double[] {1, 1, 1, 1}, new double[] {2, 2, 2, 2})
                        .chance())
                .isCloseTo(2.0 / 70, Offset.offset(1e-9));
        double[] four = new double[31];
        Arrays.fill(four, 0, 4, 1);
        // All four of 62 fall to one side: twice 31 over 4 by 62 over 4.
        assertThat(compare(Better.LESS, new double[31], four).chance())
                .isCloseTo(2 * 31_465.0 / 557_845, Offset.offset(1e-9));
        // With two measures, each chance counts twice.
        Measure same = new Measure("same", "", Better.LESS, boxed(1, 2, 3, 4, 5));
        Comparison two =
                Comparison.of(report(measure(Better.LESS, ones), same), report(measure(Better.LESS, rather), same));
        assertThat(two.rows().getFirst().outcome()).isEqualTo(Comparison.Outcome.NO_DIFFERENCE);
    }

    /** Against all choices of three of seven, one by one. */
    @Test
    void theExactTestCountsEveryOrder() {
        double[] fewer = {3, 1, 4};
        double[] more = {1, 5, 2, 5};
        double[] ranks = {4, 1.5, 5, 1.5, 6.5, 3, 6.5}; // of fewer, then of more
        int low = 0;
        int high = 0;
        for (int a = 0; a < 7; a++) {
            for (int b = a + 1; b < 7; b++) {
                for (int c = b + 1; c < 7; c++) {
                    double sum = ranks[a] + ranks[b] + ranks[c];
                    low += sum <= 10.5 ? 1 : 0;
                    high += sum >= 10.5 ? 1 : 0;
                }
            }
        }
        double expected = Math.min(1, 2 * Math.min(low, high) / 35.0);
        assertThat(expected).isLessThan(1);
        assertThat(RankSum.chance(fewer, more)).isCloseTo(expected, Offset.offset(1e-12));
        assertThat(RankSum.chance(more, fewer)).isCloseTo(expected, Offset.offset(1e-12));
    }

    /** However far apart: three against three cannot be told from chance at 0.05, so nothing is said of them. */
    @Test
    void threeSamplesAreTooFew() {
        assertThat(MannWhitneyUTest.withDefaults()
                        .test(new double[] {1, 2, 3}, new double[] {1000, 2000, 3000})
                        .getPValue())
                .isGreaterThan(0.05);
        Comparison.Row row = compare(Better.LESS, new double[] {1, 2, 3}, new double[] {1000, 2000, 3000});
        assertThat(row.outcome()).isEqualTo(Comparison.Outcome.TOO_FEW_SAMPLES);
        assertThat(row.chance()).isNull();
        assertThat(compare(Better.LESS, new double[] {10}, new double[] {20}).outcome())
                .isEqualTo(Comparison.Outcome.TOO_FEW_SAMPLES);
    }

    /** Holm's procedure: the smallest times four, the next times three, and so on; none below the one before it. */
    @Test
    void chancesAreCorrectedForTheirNumber() {
        assertThat(Comparison.corrected(0.01, 0.04, 0.03, 0.005))
                .containsExactly(new double[] {0.03, 0.06, 0.06, 0.02}, Offset.offset(1e-12));
        assertThat(Comparison.corrected(0.7, 0.01)).containsExactly(new double[] {0.7, 0.02}, Offset.offset(1e-12));
        assertThat(Comparison.corrected(0.6, 0.6)).containsExactly(1, 1);
        assertThat(Comparison.corrected()).isEmpty();
    }

    /** One of eight measures differs as clearly as six samples can; of the others one differs as chance brings it. */
    @Test
    void ofManyMeasuresOneThatDiffersByChanceIsNoDifference() {
        double[] low = {1, 2, 3, 4, 5, 6};
        double[] higher = {3.5, 4.5, 6.5, 7, 7.5, 8.5};
        double[] high = {11, 12, 13, 14, 15, 16};
        assertThat(compare(Better.MORE, low, higher).chance()).isLessThan(0.05);
        List<Measure> first = new ArrayList<>();
        List<Measure> second = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            first.add(new Measure("measure " + i, "", Better.MORE, boxed(low)));
            second.add(new Measure("measure " + i, "", Better.MORE, boxed(i == 0 ? high : i == 1 ? higher : low)));
        }
        assertThat(Comparison.of(report(first.toArray(Measure[]::new)), report(second.toArray(Measure[]::new)))
                        .rows())
                .extracting(Comparison.Row::outcome)
                .startsWith(Comparison.Outcome.BETTER, Comparison.Outcome.NO_DIFFERENCE)
                .filteredOn(outcome -> outcome == Comparison.Outcome.NO_DIFFERENCE)
                .hasSize(7);
    }

    @Test
    void moreMeasuresTakeMoreSamples() {
        assertThat(IntStream.of(1, 2, 6, 8, 23).map(Comparison::leastSamples)).containsExactly(4, 5, 5, 6, 6);
    }

    private static List<Double> boxed(double... samples) {
        return Arrays.stream(samples).boxed().toList();
    }

    private static Comparison.Row compare(Better better, double[] first, double[] second) {
        return Comparison.of(report(measure(better, first)), report(measure(better, second)))
                .rows()
                .getFirst();
    }

    @Test
    void numbersHaveThreeDigits() {
        assertThat(java.util.stream.DoubleStream.of(0, 3, 1234, 12345, 1234.5, 123456.7, 12.34, 1.234, 0.01234)
                        .mapToObj(Numbers::text))
                .containsExactly("0", "3", "1234", "12,345", "1235", "123,457", "12.3", "1.23", "0.0123");
    }
}
