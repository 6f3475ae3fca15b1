package dev.headgate.lab.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.demo.Bank;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.TestLaboratory;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class PolicySweepTest {

    /** On a real server, as short as it can be. Nothing is said of speeds. */
    @Test
    void everySizeAndThePolicyAreMeasured() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(
                    new PolicySweep(List.of(new Bank())),
                    Form.QUICK,
                    Map.of("connections", 4.0, "seconds", 1.0, "policySeconds", 6.0));
            assertThat(report.findings()).hasSize(3);
            assertThat(report.tables().getFirst().rows().stream().map(row -> row.get(1)))
                    .hasSize(6)
                    .startsWith("1", "2", "3", "4")
                    .element(4, STRING)
                    .matches("[1-4], again");
            assertThat(report.tables().getFirst().rows().getLast().get(1)).startsWith("latency-cap: ");
            assertThat(report.charts().getFirst().lines().getFirst().y())
                    .hasSize(4)
                    .allMatch(value -> value > 0);
            assertThat(report.measures())
                    .allMatch(measure -> measure.median() > 0)
                    .hasSize(2);
            assertThat(report.notes()).singleElement(STRING).startsWith("Where users do not think, ");
        }
    }

    @Test
    void aCancelledRunEndsAtItsNextStep() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Run run = new Run(
                    laboratory,
                    Map.of("connections", 4.0, "seconds", 1.0, "policySeconds", 6.0),
                    1,
                    Supervisor.silent(),
                    (share, doing) -> Thread.currentThread().interrupt());
            assertThatThrownBy(() -> new PolicySweep(List.of(new Bank())).run(run))
                    .isInstanceOfAny(CancellationException.class, InterruptedException.class);
            boolean _ = Thread.interrupted(); // for the tests that follow
        }
    }

    @Test
    void secondsAreMadeOfTenWindowsAndWeighedByTheirRequests() {
        List<Window> windows = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            windows.add(window(i < 10 ? 1_000_000 : 4_000_000, i < 10 ? 30 : 10));
        }
        Seconds seconds = Seconds.of(windows);
        assertThat(seconds.all()).hasSize(2);
        assertThat(seconds.meansMs()).containsExactly(1.0, 4.0);
        assertThat(seconds.meanMs()).isEqualTo((1.0 * 300 + 4.0 * 100) / 400);
        assertThat(seconds.within(1)).isEqualTo(0.5);
        assertThat(seconds.within(3.7)).isEqualTo(1);
        assertThat(seconds.after(1).leasesPerSecond()).isEqualTo(100);
        assertThat(seconds.after(5).meanMs()).isZero();
    }

    /** The governor of a busy machine is late, and its next window is longer. More pass in it, but not more a second. */
    @Test
    void leasesAreTheThroughputAlsoOfWindowsThatAreTooLong() {
        List<Window> windows = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            windows.add(i == 5 ? window(1_000_000, 60, 200_000_000) : window(1_000_000, 30, 100_000_000));
        }
        assertThat(Seconds.of(windows).leases()).containsExactly(300.0);
    }

    @Test
    void secondsAreAsManyWhereTheGovernorWasLate() {
        List<Window> windows = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            windows.add(i % 3 == 0 ? window(1_000_000, 90, 300_000_000) : window(1_000_000, 30, 100_000_000));
        }
        assertThat(Seconds.of(windows).leases()).hasSize(5).containsOnly(300.0);
    }

    private static Window window(long meanNanos, int requests) {
        return window(meanNanos, requests, 100_000_000);
    }

    private static Window window(long meanNanos, int requests, long lengthNanos) {
        Latency latency = new Even(requests, meanNanos);
        return new Window(0, lengthNanos, latency, latency, requests, requests, 0, 0, 1, 1, 3, 0, List.of());
    }

    /** Requests that all took the same time. */
    private record Even(long count, double meanNanos) implements Latency {

        @Override
        public long minNanos() {
            return (long) meanNanos;
        }

        @Override
        public long maxNanos() {
            return (long) meanNanos;
        }

        @Override
        public long percentileNanos(double percentile) {
            return (long) meanNanos;
        }

        @Override
        public Latency plus(Latency other) {
            throw new UnsupportedOperationException();
        }
    }

    /** A straight line that falls, or is level, is one too. */
    @Test
    void latencyThatDoesNotRiseDoesNotGrow() {
        List<Double> sizes = List.of(1.0, 2.0, 3.0, 4.0);
        assertThat(PolicySweep.linearFinding("bank", sizes, List.of(1.0, 2.0, 3.0, 4.0))
                        .verdict())
                .isEqualTo(Finding.Verdict.HOLDS);
        assertThat(PolicySweep.linearFinding("bank", sizes, List.of(4.0, 3.0, 2.0, 1.0))
                        .verdict())
                .isEqualTo(Finding.Verdict.DIFFERS);
        assertThat(PolicySweep.linearFinding("bank", sizes, List.of(2.0, 2.0, 2.0, 2.0))
                        .verdict())
                .isEqualTo(Finding.Verdict.DIFFERS);
    }

    @Test
    void aStraightLineExplainsEverythingAndNoiseLittle() {
        List<Double> x = List.of(1.0, 2.0, 3.0, 4.0);
        assertThat(Fit.linear(x, List.of(2.0, 4.0, 6.0, 8.0))).isEqualTo(1);
        assertThat(Fit.linear(x, List.of(1.0, -1.0, -1.0, 1.0))).isEqualTo(0);
        assertThat(Fit.linear(x, List.of(5.0, 5.0, 5.0, 5.0))).isEqualTo(1);
    }
}
