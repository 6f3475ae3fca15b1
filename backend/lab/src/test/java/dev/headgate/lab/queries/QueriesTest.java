package dev.headgate.lab.queries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import dev.headgate.lab.load.LoadResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** On a real server, as short as it can be. Each way's answers are checked by the experiment itself; nothing is said of speeds. */
class QueriesTest {

    @Test
    void everyWayIsMeasured() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            List<String> told = new ArrayList<>();
            Report drivers = laboratory.run(
                    new AsyncDrivers(),
                    Form.QUICK,
                    Map.of("queries", 5.0, "samples", 3.0, "roundTripMs", 0.5),
                    (_, doing) -> told.add(doing));
            assertThat(told.stream().distinct())
                    .endsWith("warming up", "sample 1 of 3", "sample 2 of 3", "sample 3 of 3")
                    .hasSize(5);
            assertThat(drivers.notes())
                    .anyMatch(note -> note.matches("The link added [0-9.]+ ms to a round trip, as calibrated."));
            assertThat(drivers.measures())
                    .hasSize(3)
                    .allMatch(measure -> measure.samples().size() == 3);

            Report fork = laboratory.run(new ForkJoin(), Form.QUICK, Map.of("samples", 3.0, "roundTripMs", 0.5));
            assertThat(fork.charts().getFirst().lines())
                    .hasSize(2)
                    .allMatch(line -> line.x().equals(List.of(1.0, 2.0, 4.0, 8.0)));

            Report connections =
                    laboratory.run(new ManyConnections(), Form.QUICK, Map.of("samples", 3.0, "roundTripMs", 0.5));
            assertThat(connections.charts().getFirst().lines())
                    .hasSize(3)
                    .allMatch(line -> line.x().equals(List.of(1.0, 2.0, 4.0, 8.0, 16.0, 32.0)));
        }
    }

    /** 25 requests one after another take 25 of the long round trips, whatever the machine; pipelined they take one. */
    @Test
    void pipeliningGainsWhereTheRoundTripIsLong() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(
                    new Pipelining(), Form.QUICK, Map.of("samples", 3.0, "longSamples", 1.0, "longMs", 20.0));

            assertThat(report.findings()).hasSize(3);
            assertThat(report.charts().getFirst().lines())
                    .hasSize(4)
                    .first()
                    .satisfies(line -> assertThat(line.x()).containsExactly(1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 25.0));
            assertThat(report.tables().getFirst().rows()).hasSize(3 * 7).last().satisfies(row -> {
                assertThat(row.subList(0, 2)).containsExactly("20.0 ms more", "25");
                assertThat(Double.parseDouble(row.get(2))).isGreaterThan(25 * 19);
                assertThat(Double.parseDouble(row.get(4))).isGreaterThan(2);
            });
            assertThat(report.measures())
                    .extracting(measure -> measure.samples().size())
                    .containsExactly(3, 3, 1);
            assertThat(report.notes())
                    .hasSize(2)
                    .allMatch(note -> note.matches("The link \".+\" added [0-9.]+ ms to a round trip, as calibrated."));
        }
    }

    @Test
    void pipeliningMustGainWhatThePaperSaysAndHardlyAnythingOnLoopback() {
        Pipelining.Trip loopback = new Pipelining.Trip(0, "loopback", 1.5);
        assertThat(Pipelining.finding(loopback, gain(1.0, 1.9, 3.0)))
                .isEqualTo(new Finding(
                        "On loopback pipelining gains little",
                        Finding.Verdict.HOLDS,
                        "25 requests: 10.0 ms one after another, 5.00 ms pipelined, 1.90 times as fast."));
        assertThat(Pipelining.finding(loopback, gain(1.0, 2.1, 3.0)).verdict()).isEqualTo(Finding.Verdict.DIFFERS);

        Pipelining.Trip far = new Pipelining.Trip(78, "78.0 ms more", 5);
        assertThat(Pipelining.finding(far, gain(4.0, 5.0, 30.0))).satisfies(finding -> {
            assertThat(finding.claim())
                    .isEqualTo("With 78.0 ms more, pipelining is at least 5.00 times as fast, as in the paper");
            assertThat(finding.verdict()).isEqualTo(Finding.Verdict.HOLDS);
        });
        assertThat(Pipelining.finding(far, gain(4.0, 4.9, 30.0)).verdict()).isEqualTo(Finding.Verdict.DIFFERS);
    }

    /** How many times as fast 25 requests were in each sample. */
    private static Pipelining.Gain gain(Double... ratios) {
        return new Pipelining.Gain(25, 10, 5, List.of(ratios));
    }

    /** Pages fail that get other rows than they asked for. */
    @Test
    void everyWayToAskForAPageGetsItsRows() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report portal = laboratory.run(
                    new Portal(),
                    Form.QUICK,
                    Map.of("users", 4.0, "rounds", 1.0, "roundMs", 600.0, "connections", 2.0, "roundTripMs", 0.0));

            assertThat(portal.notes())
                    .noneMatch(note -> note.contains("failed"))
                    .anyMatch(note -> note.startsWith("Where users do not think, "));
            assertThat(portal.tables().getFirst().rows())
                    .hasSize(4 * 3)
                    .noneMatch(row -> row.getLast().equals("0.00"));
        }
    }

    /** One bad round of four is a quarter of all pages, not a quarter of the p99. */
    @Test
    void theRoundsOfAStepAreOnePopulation() {
        Portal.Step step = new Portal.Step(1, List.of(pages(10, 99), pages(10, 99), pages(10, 99), pages(500, 99)));
        assertThat(step.p99Ms()).isCloseTo(500, within(1.0));
        assertThat(step.pageMs()).isCloseTo(132.5, within(1.0));
    }

    /** Pipelining may win where asynchronous pages alone lose. */
    @Test
    void eachWayIsJudgedByItsOwnPages() {
        Map<PortalPage.Way, List<Portal.Step>> steps = new EnumMap<>(PortalPage.Way.class);
        Map.of(
                        PortalPage.Way.SERIAL, 761,
                        PortalPage.Way.THREADS, 818,
                        PortalPage.Way.ASYNCHRONOUS, 670,
                        PortalPage.Way.PIPELINED, 1315)
                .forEach((way, count) -> steps.put(way, List.of(new Portal.Step(32, List.of(pages(10, count))))));
        assertThat(Portal.busy("asynchronous", PortalPage.Way.ASYNCHRONOUS, steps))
                .isEqualTo(new Finding(
                        "asynchronous",
                        Finding.Verdict.DIFFERS,
                        "With 32 users: 670 pages/s asynchronous, 818 by threads, 761 one after another."));
        assertThat(Portal.busy("pipelined", PortalPage.Way.PIPELINED, steps).verdict())
                .isEqualTo(Finding.Verdict.HOLDS);
    }

    /** The latency of nothing is 0, and 0 is half of everything. */
    @Test
    void aWayThatServedNoPageIsNotTheFastest() {
        Map<PortalPage.Way, List<Portal.Step>> steps = new EnumMap<>(PortalPage.Way.class);
        for (PortalPage.Way way : PortalPage.Way.values()) {
            boolean fails = way == PortalPage.Way.ASYNCHRONOUS || way == PortalPage.Way.PIPELINED;
            steps.put(way, List.of(new Portal.Step(1, List.of(pages(10, fails ? 0 : 100)))));
        }
        assertThat(Portal.alone(steps)).satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
            assertThat(finding.here()).startsWith("Every page of one way failed. ");
        });
        assertThat(Portal.pipelined(steps).verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
        assertThat(Portal.busy("asynchronous", PortalPage.Way.ASYNCHRONOUS, steps)
                        .verdict())
                .isEqualTo(Finding.Verdict.UNDECIDED);
    }

    private static LoadResult pages(int millis, int count) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(millis * 1_000_000L, count);
        return new LoadResult(latency, new Histogram(3), new Histogram(3), 0, 0, 0, 1, null);
    }
}
