package dev.headgate.lab.policies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TiersTest {

    /** On a real server, as short as it can be: gold and bronze have as many users at last, and gold is owed most connections. */
    @Test
    void goldGetsMoreThanBronzeWithTiers() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(new Tiers(), Form.QUICK, Map.of("bronzeUsers", 16.0, "seconds", 1.0));

            assertThat(report.findings()).hasSize(3);
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
}
