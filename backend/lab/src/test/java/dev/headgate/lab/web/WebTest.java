package dev.headgate.lab.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.connect.Target;
import dev.headgate.lab.demo.Gallery;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Laboratory;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import dev.headgate.lab.report.Comparison;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** On a real server and a real process with a small heap; nothing is said of speeds. */
class WebTest {

    private static final int READERS = 32;
    private static final int ROWS = 989;
    private static final Readers FAST = new Readers(0, Duration.ofMinutes(2));

    @Test
    void wholeResultsExhaustASmallHeapAndStreamedOnesDoNot() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Target target = laboratory.database("streaming", READERS + 2);
            try (Connection connection = Laboratory.connect(target)) {
                new Gallery().setUp(connection);
            }
            try (WebProcess server = WebProcess.start(target, READERS, 64)) {
                Readers.Outcome few = FAST.read(server.at("/materialised?10"), 4, 10);
                assertThat(few.failed()).isZero();
                assertThat(few.reads()).hasSize(4).allSatisfy(read -> {
                    assertThat(read.bytes()).isGreaterThan(10 * 7_000);
                    assertThat(read.firstByteMs())
                            .isPositive()
                            .isLessThanOrEqualTo(read.firstRowMs())
                            .isLessThanOrEqualTo(read.closeMs());
                });

                Readers.Outcome streamed = FAST.read(server.at("/streamed?" + ROWS), READERS, ROWS);
                assertThat(streamed.failed()).isZero();
                assertThat(streamed.reads()).hasSize(READERS);
                assertThat(server.isAlive()).isTrue();

                Readers.Outcome whole = FAST.read(server.at("/materialised?" + ROWS), READERS, ROWS);
                assertThat(whole.failed()).isPositive();
                assertThat(server.ranOutOfMemory()).isTrue();
            }
        }
    }

    @Test
    void aRunThatIsCancelledWhileItsServerStartsLeavesNoServer() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Target target = laboratory.database("cancelled", 4);
            Set<ProcessHandle> before = children();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> Streaming.start(target, 2, 64)).isInstanceOf(InterruptedException.class);
            for (ProcessHandle left : children()) {
                if (!before.contains(left)) {
                    assertThat(left.onExit()).succeedsWithin(Duration.ofSeconds(20));
                }
            }
        }
    }

    private static Set<ProcessHandle> children() {
        return ProcessHandle.current().children().collect(Collectors.toSet());
    }

    @Test
    void everyConnectionIsAnswered() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(new TenThousand(), Form.QUICK, Map.of("connections", 300.0, "seconds", 1.0));

            assertThat(report.findings().getFirst().here())
                    .startsWith("This run had 300 connections, not 10,000. ")
                    .endsWith(" 0 failed.");
            assertThat(report.findings()).extracting(Finding::verdict).containsOnly(Finding.Verdict.UNDECIDED);
            assertThat(report.charts())
                    .allSatisfy(chart -> assertThat(chart.lines()).hasSize(2));
            assertThat(report.measures())
                    .hasSize(2)
                    .allSatisfy(measure ->
                            assertThat(measure.samples()).hasSizeGreaterThanOrEqualTo(Comparison.leastSamples(2)));
        }
    }
}
