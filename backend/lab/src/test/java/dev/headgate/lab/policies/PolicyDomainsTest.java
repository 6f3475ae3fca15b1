package dev.headgate.lab.policies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyDomainsTest {

    /** On a real server, as short as it can be. */
    @Test
    void aCapOnOneDomainMakesItGiveWayAndOneOnTheDatabaseBoth() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(
                    new PolicyDomains(), Form.QUICK, Map.of("users", 12.0, "connections", 8.0, "seconds", 2.0));

            assertThat(report.findings()).hasSize(3);
            List<List<String>> rows = report.tables().getFirst().rows();
            assertThat(rows)
                    .extracting(row -> row.get(0) + ": " + row.get(1))
                    .containsExactly(
                            "no cap: first",
                            "no cap: second",
                            "cap on the first domain: first",
                            "cap on the first domain: second",
                            "cap on the database: first",
                            "cap on the database: second");
            List<Double> connections =
                    rows.stream().map(row -> Double.valueOf(row.get(2))).toList();
            assertThat(connections.subList(0, 2)).as("without a cap").containsExactly(8.0, 8.0);
            assertThat(connections.get(2))
                    .as("first beside second, with a cap on the first")
                    .isLessThan(connections.get(3));
            assertThat(connections.get(4) + connections.get(5))
                    .as("both, with a cap on the database")
                    .isLessThan(16);
            assertThat(report.charts())
                    .extracting(chart -> chart.lines().size())
                    .containsExactly(3, 2);
            assertThat(report.charts().getLast().lines())
                    .allSatisfy(line -> assertThat(line.y()).hasSize(3 * 2));
            assertThat(report.measures()).hasSize(3 * 2 * 2).allMatch(measure -> measure.median() > 0);
        }
    }
}
