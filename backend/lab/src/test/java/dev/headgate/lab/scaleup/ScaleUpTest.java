package dev.headgate.lab.scaleup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.TestLaboratory;
import dev.headgate.lab.load.LoadResult;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ScaleUpTest {

    private static final Map<String, Double> TINY = Map.of(
            "databases", 3.0,
            "connections", 4.0,
            "ratePerDatabase", 60.0,
            "distributedPercent", 30.0,
            "rounds", 1.0,
            "roundMs", 300.0,
            "watchedMs", 2_000.0,
            "quietRuns", 2.0,
            "quietMs", 300.0);

    @Test
    void tellsEverythingThatWasAsked() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(new ScaleUp(), Form.QUICK, TINY);

            assertThat(report.findings()).hasSize(9);
            assertThat(report.findings())
                    .extracting(Finding::here)
                    .noneMatch(each -> each.contains("none of one kind"));
            // whatever the machine's speed: nothing is left and nothing is lost
            assertThat(report.findings())
                    .filteredOn(each -> each.claim().startsWith("After coordinators are killed"))
                    .singleElement()
                    .satisfies(each -> {
                        assertThat(each.verdict()).as(each.here()).isNotEqualTo(Finding.Verdict.DIFFERS);
                        assertThat(each.here()).startsWith("20 transactions were cut off and left 12 prepared parts.");
                        assertThat(each.here()).contains("committed 4 of them and rolled 8 back; 0 are left");
                    });
            assertThat(report.notes()).noneMatch(each -> each.contains("requests failed"));
            assertThat(report.tables()).hasSize(3);
            assertThat(report.tables().get(0).rows())
                    .extracting(each -> each.get(0))
                    .containsExactly("1", "2", "3", "3");
            assertThat(report.tables().get(1).rows()).hasSize(6);
            assertThat(report.tables().get(2).rows()).hasSize(3);
            assertThat(report.charts()).hasSize(2);
            assertThat(report.charts().get(0).lines()).hasSize(5);
            assertThat(report.charts().get(0).lines().get(0).y()).hasSize(20).anyMatch(perSecond -> perSecond > 0);
            assertThat(report.measures()).extracting(Measure::name).doesNotHaveDuplicates();
            assertThat(report.charts().get(1).sentence()).contains(" ms on 1 database to ");
            assertThat(report.measures()).extracting(Measure::name).contains("served on 1 database, none distributed");
            assertThat(report.measures())
                    .filteredOn(each -> each.unit().equals("1/s"))
                    .allMatch(each -> each.samples().getFirst() > 0);
        }
    }

    @Test
    void aKillThatLeftNothingToResolveTellsNothing() {
        SplitBank.Balance even = new SplitBank.Balance(3, 3, 3, 3, 2);
        assertThat(ScaleUpReport.recovery(crash(new Recovery(0, 0), 0), even).verdict())
                .isEqualTo(Finding.Verdict.UNDECIDED);
        assertThat(ScaleUpReport.recovery(crash(new Recovery(0, 1), 0), even).verdict())
                .isEqualTo(Finding.Verdict.HOLDS);
        assertThat(ScaleUpReport.recovery(crash(new Recovery(0, 0), 1), even).verdict())
                .isEqualTo(Finding.Verdict.DIFFERS);
    }

    /** All databases share one server: that the rate was served says nothing of more databases. */
    @Test
    void efficiencyOnOneMachineIsNeverDecided() {
        Finding served = ScaleUpReport.efficiency(8, List.of(1.0));
        assertThat(served.verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
        assertThat(served.here()).startsWith("100.0 % at the offered rate");
        assertThat(ScaleUpReport.efficiency(8, List.of(0.5)).verdict()).isEqualTo(Finding.Verdict.UNDECIDED);
        assertThat(ScaleUpReport.efficiency(4, List.of()).here()).isEqualTo("This run had 4 databases.");
    }

    /** The latency of those that were served says nothing of the others. */
    @Test
    void bookingsThatFailedCountAsSlow() {
        assertThat(p90(100, 0).verdict()).isEqualTo(Finding.Verdict.HOLDS);
        assertThat(p90(95, 5).verdict()).isEqualTo(Finding.Verdict.HOLDS);
        Finding failing = p90(80, 20);
        assertThat(failing.verdict()).isEqualTo(Finding.Verdict.DIFFERS);
        assertThat(failing.here())
                .isEqualTo(
                        "p90 from the schedule: more than a tenth failed on 2. On 2 databases 20.0 % of all took 10 ms or more (paper: 0.14 %). 20 of them failed, which counts as slower.");
        assertThat(p90(0, 100).verdict()).isEqualTo(Finding.Verdict.DIFFERS);
    }

    /** Of one round on two databases. */
    private static Finding p90(int served, int failed) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(5_000_000, served);
        Histogram none = new Histogram(3);
        Measurements measured = new Measurements();
        measured.add(
                new Measurements.Offered(2, true),
                new Measurements.Round(
                        new LoadResult(latency, none, none, failed, 0, 0, 1, null), served, latency, none));
        return ScaleUpReport.p90(measured, 2, 50);
    }

    private static Measurements.Crash crash(Recovery ofProcesses, int leftover) {
        return new Measurements.Crash(
                20, 12, new Recovery(4, 8), 60, 0, new Measurements.Kill(5, ofProcesses, 12, leftover));
    }

    @Test
    void aCancelledRunEndsAtOnceAndLeavesDatabasesThatTheNextRunMayDrop() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            ScaleUp experiment = new ScaleUp();
            Map<String, Double> values = new HashMap<>();
            experiment.parameters().forEach(each -> values.put(each.name(), each.quick()));
            values.putAll(TINY);
            Supervisor supervisor = new Supervisor(InstantSource.system(), failure -> {});
            Run cancelled = new Run(laboratory, values, 1, supervisor, (share, doing) -> {
                if (doing.startsWith("the most throughput")) {
                    throw new CancellationException("enough");
                }
            });
            assertThatThrownBy(() -> experiment.run(cancelled)).isInstanceOf(CancellationException.class);
            assertThat(supervisor.tasks()).isNotEmpty().allMatch(task -> task.failures() == 0);
            assertThat(laboratory.database("lab-scale-up-1", 4).database()).isEqualTo("lab-scale-up-1");
        }
    }
}
