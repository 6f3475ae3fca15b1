package dev.headgate.lab.policies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import dev.headgate.lab.load.LoadResult;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TiersTest {

    /** On a real server, as short as it can be: gold and bronze have as many users at last, and gold is owed most connections. */
    @Test
    void goldGetsMoreThanBronzeWithTiers() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(new Tiers(), Form.QUICK, Map.of("bronzeUsers", 16.0, "seconds", 1.0));

            assertThat(report.findings()).hasSize(4);
            List<List<String>> rows = report.tables().getFirst().rows();
            assertThat(rows)
                    .extracting(row -> row.get(0) + ", " + row.get(1))
                    .containsExactly(
                            "without tiers, 1",
                            "without tiers, 8",
                            "without tiers, 16",
                            "with tiers, 1",
                            "with tiers, 8",
                            "with tiers, 16");
            double without = goldByBronze(rows.get(2));
            double with = goldByBronze(rows.get(5));
            assertThat(with).as("gold's pages by bronze's").isGreaterThan(1.3).isGreaterThan(without);
            assertThat(rows).as("bronze's pages a second").allMatch(row -> Double.parseDouble(row.get(7)) > 0);
            assertThat(report.charts())
                    .hasSize(2)
                    .allSatisfy(chart -> assertThat(chart.lines())
                            .hasSize(4)
                            .allMatch(line -> line.x().equals(List.of(1.0, 8.0, 16.0))));
            assertThat(report.measures())
                    .hasSize(2)
                    .allMatch(measure -> measure.samples().size() == 8);
        }
    }

    private static double goldByBronze(List<String> row) {
        return Double.parseDouble(row.get(4)) / Double.parseDouble(row.get(7));
    }

    @Test
    void goldMustLoseATenthWithoutTiersAndKeepItsTailWithThem() {
        List<Tiers.Step> suffers = List.of(step(1, 100, 15, 10), step(64, 85, 40, 60));
        List<Tiers.Step> keeps = List.of(step(1, 100, 15, 10), step(64, 99, 22, 30));
        assertThat(verdicts(suffers, keeps))
                .containsExactly(
                        Finding.Verdict.HOLDS, Finding.Verdict.HOLDS, Finding.Verdict.HOLDS, Finding.Verdict.HOLDS);
        assertThat(verdicts(keeps, suffers))
                .as("the other way round")
                .containsExactly(
                        Finding.Verdict.DIFFERS,
                        Finding.Verdict.DIFFERS,
                        Finding.Verdict.DIFFERS,
                        Finding.Verdict.HOLDS);
        assertThat(verdicts(suffers, List.of(step(1, 100, 15, 10), step(64, 99, 15, 0))))
                .as("bronze gets nothing")
                .containsExactly(
                        Finding.Verdict.HOLDS, Finding.Verdict.HOLDS, Finding.Verdict.HOLDS, Finding.Verdict.DIFFERS);
        assertThat(verdicts(suffers, List.of(step(1, 100, 15, 10), step(64, 80, 15, 30))))
                .as("gold's pages are as quick, and fewer")
                .containsExactly(
                        Finding.Verdict.HOLDS, Finding.Verdict.DIFFERS, Finding.Verdict.HOLDS, Finding.Verdict.HOLDS);
    }

    /** A tail that grows little says something of tiers only beside one that grows more without. */
    @Test
    void aFindingOfTiersHasTheFiguresOfBothWays() {
        List<Finding> findings = Tiers.findings(
                List.of(step(1, 100, 15, 10), step(64, 85, 40, 60)),
                List.of(step(1, 100, 15, 10), step(64, 99, 20, 30)));
        assertThat(findings)
                .extracting(Finding::here)
                .startsWith(
                        "Gold: 100 pages/s at 15.0 ms beside one bronze user, 85.0/s at 40.0 ms beside 64 (0.85 times the pages).",
                        "Gold: 100 pages/s at 15.0 ms beside one bronze user, 99.0/s at 20.0 ms beside 64 (0.99 times the pages).",
                        "p99 of gold's pages: 15.0 ms beside one bronze user, 20.0 ms beside 64 (1.33 times); without tiers 15.0 and 40.0 ms.");
    }

    /** The latency of nothing is 0, which is no short one. */
    @Test
    void goldWhosePagesFailHasNotKeptItsLatency() {
        Tiers.Step quiet = step(1, 100, 15, 10);
        LoadResult one = pages(1, 15);
        Tiers.Step failing = new Tiers.Step(
                64,
                new LoadResult(one.latency(), one.refused(), one.lateness(), 99, 0, 0, 1, "timed out"),
                pages(30, 50));
        Tiers.Step none = step(64, 0, 15, 30);
        assertThat(verdicts(List.of(quiet, none), List.of(quiet, none)))
                .containsExactly(
                        Finding.Verdict.HOLDS, Finding.Verdict.DIFFERS, Finding.Verdict.DIFFERS, Finding.Verdict.HOLDS);
        Finding kept =
                Tiers.findings(List.of(quiet, none), List.of(quiet, failing)).get(2);
        assertThat(kept.verdict()).isEqualTo(Finding.Verdict.DIFFERS);
        assertThat(kept.here()).endsWith(" Beside 64, 99 of gold's pages failed and 1 were served.");
        assertThat(verdicts(List.of(step(1, 0, 15, 10), none), List.of(step(1, 0, 15, 10), none)))
                .as("gold had nothing from the start")
                .containsExactly(
                        Finding.Verdict.UNDECIDED,
                        Finding.Verdict.UNDECIDED,
                        Finding.Verdict.UNDECIDED,
                        Finding.Verdict.HOLDS);
    }

    private static List<Finding.Verdict> verdicts(List<Tiers.Step> without, List<Tiers.Step> with) {
        return Tiers.findings(without, with).stream().map(Finding::verdict).toList();
    }

    private static Tiers.Step step(int bronzeUsers, int goldPerSecond, int goldMs, int bronzePerSecond) {
        return new Tiers.Step(bronzeUsers, pages(goldPerSecond, goldMs), pages(bronzePerSecond, 50));
    }

    /** What a second of pages came to that all took the same time. */
    private static LoadResult pages(int perSecond, int millis) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(millis * 1_000_000L, perSecond);
        return new LoadResult(latency, new Histogram(3), new Histogram(3), 0, 0, 0, 1, null);
    }
}
