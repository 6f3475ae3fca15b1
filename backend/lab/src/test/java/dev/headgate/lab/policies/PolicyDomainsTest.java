package dev.headgate.lab.policies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import java.util.Collections;
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

    private static final double CAP = 20;

    @Test
    void aCapOnOneDomainMustMakeRoomForItsNeighbour() {
        PolicyDomains.Measured none = measured(PolicyDomains.Part.NONE, pool(8, 30, 100), pool(8, 30, 100));
        PolicyDomains.Measured both = measured(PolicyDomains.Part.BOTH, pool(4, 18, 100), pool(4, 18, 100));
        assertThat(verdicts(none, measured(PolicyDomains.Part.ONE, pool(2, 25, 40), pool(8, 25, 160)), both))
                .containsExactly(Finding.Verdict.HOLDS, Finding.Verdict.HOLDS, Finding.Verdict.HOLDS);
        assertThat(verdicts(none, measured(PolicyDomains.Part.ONE, pool(8, 25, 100), pool(8, 25, 160)), both))
                .as("the capped domain keeps its connections")
                .startsWith(Finding.Verdict.DIFFERS);
        assertThat(verdicts(none, measured(PolicyDomains.Part.ONE, pool(2, 25, 40), pool(8, 25, 100)), both))
                .as("its neighbour serves no more than before")
                .startsWith(Finding.Verdict.DIFFERS);
    }

    @Test
    void aCapOfTheDatabaseMustHoldBothDomainsAndDivideEvenly() {
        PolicyDomains.Measured none = measured(PolicyDomains.Part.NONE, pool(8, 30, 100), pool(8, 30, 100));
        PolicyDomains.Measured one = measured(PolicyDomains.Part.ONE, pool(2, 25, 40), pool(8, 25, 160));
        assertThat(verdicts(none, one, measured(PolicyDomains.Part.BOTH, pool(5, 18, 100), pool(5, 23, 100))))
                .as("over 1.1 times the cap in one of the domains")
                .endsWith(Finding.Verdict.DIFFERS, Finding.Verdict.HOLDS);
        assertThat(verdicts(none, one, measured(PolicyDomains.Part.BOTH, pool(3, 18, 60), pool(4, 18, 100))))
                .as("uneven by one connection")
                .endsWith(Finding.Verdict.HOLDS, Finding.Verdict.HOLDS);
        assertThat(verdicts(none, one, measured(PolicyDomains.Part.BOTH, pool(2, 18, 60), pool(5, 18, 100))))
                .as("uneven by three connections")
                .endsWith(Finding.Verdict.HOLDS, Finding.Verdict.DIFFERS);
        assertThat(verdicts(none, one, measured(PolicyDomains.Part.BOTH, pool(2, 18, 90), pool(5, 18, 100))))
                .as("with as many transactions")
                .endsWith(Finding.Verdict.HOLDS, Finding.Verdict.HOLDS);
    }

    @Test
    void fewSecondsDoNotTellWhetherTheDatabasesCapIsKept() {
        PolicyDomains.Measured few = new PolicyDomains.Measured(
                PolicyDomains.Part.BOTH,
                new Seconds(pool(4, 18, 100).all().subList(0, 4)),
                new Seconds(pool(4, 18, 100).all().subList(0, 4)));
        PolicyDomains.Measured none = measured(PolicyDomains.Part.NONE, pool(8, 30, 100), pool(8, 30, 100));
        assertThat(PolicyDomains.findings(List.of(none, none, few), CAP).get(1)).satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
            assertThat(finding.here())
                    .contains("in 100 % of seconds, with 8.00 connections in all (16.0 without a cap)")
                    .endsWith(" These are 4 seconds; fewer than 20 do not tell.");
        });
    }

    private static List<Finding.Verdict> verdicts(
            PolicyDomains.Measured none, PolicyDomains.Measured one, PolicyDomains.Measured both) {
        return PolicyDomains.findings(List.of(none, one, both), CAP).stream()
                .map(Finding::verdict)
                .toList();
    }

    private static PolicyDomains.Measured measured(PolicyDomains.Part part, Seconds first, Seconds second) {
        return new PolicyDomains.Measured(part, first, second);
    }

    /** As many seconds as tell, all the same. */
    private static Seconds pool(int size, double meanMs, long perSecond) {
        return new Seconds(Collections.nCopies(Seconds.LEAST, new Seconds.Second(meanMs, perSecond, perSecond, size)));
    }
}
