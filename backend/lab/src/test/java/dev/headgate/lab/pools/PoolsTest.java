package dev.headgate.lab.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PoolsTest {

    private static final Path EXPERIMENTS = Path.of("../../docs/experiments.md");

    /** What differs between machines and runs. */
    private static final Pattern PROCESSORS_OR_SIZES = Pattern.compile("\\d (processors|connections)");

    @Test
    void everyPoolServesEveryScenario() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report =
                    laboratory.run(new Pools(), Form.QUICK, Map.of("connections", 2.0, "rounds", 2.0, "roundMs", 40.0));

            assertThat(report.tables())
                    .extracting(each -> each.rows().size())
                    .containsExactly(7, 7, 7, 7 * 4); // the last has a row for each of 4 threads
            assertThat(report.measures())
                    .hasSize(3 * 21)
                    .allMatch(each -> each.samples().size() == 2);
            assertThat(report.measures()).extracting(Measure::name).doesNotHaveDuplicates();
            assertThat(report.measures())
                    .filteredOn(each -> each.name().startsWith("fetches"))
                    .allMatch(each -> each.samples().stream().allMatch(perSecond -> perSecond > 0));
            assertThat(report.measures())
                    .filteredOn(each -> each.name().startsWith("most by fewest"))
                    .allMatch(each -> each.samples().stream().allMatch(ratio -> ratio >= 1));
            assertThat(report.charts()).hasSize(2).allMatch(each -> each.lines().size() == 7);
            assertThat(report.findings()).hasSize(7);
            assertThat(Files.readString(EXPERIMENTS))
                    .as("the document has the notes that the program prints")
                    .contains(report.notes().stream()
                            .filter(each -> !PROCESSORS_OR_SIZES.matcher(each).find())
                            .toList());
        }
    }

    @Test
    void countsTheFetchesOfEachThreadAndTheirWaits() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory();
                Contender.Field field =
                        new Contender.Field(laboratory.database("lab-pools", 1), 1, Supervisor.silent())) {
            for (Contender each : field.plain()) {
                FetchLoop.Outcome outcome = new FetchLoop(3, Duration.ZERO, Duration.ofMillis(60)).run(each.fetch());
                assertThat(outcome.threads()).hasSize(3);
                assertThat(outcome.threads().stream()
                                .mapToLong(FetchLoop.Served::fetches)
                                .sum())
                        .as(each.name())
                        .isEqualTo(outcome.waits().getTotalCount())
                        .isPositive();
                assertThat(outcome.threads().stream()
                                .mapToDouble(FetchLoop.Served::longestMs)
                                .max())
                        .hasValue(outcome.longestMs());
                assertThat(outcome.threads()).allMatch(thread -> thread.meanMs() <= thread.longestMs());
            }
        }
    }

    @Test
    void aFetchThatFailsFailsTheRunWithItsReason() {
        FetchLoop loop = new FetchLoop(2, Duration.ZERO, Duration.ofSeconds(60));
        assertThatThrownBy(() -> loop.run(() -> {
                    throw new SQLException("no connection today");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no connection today");
    }
}
