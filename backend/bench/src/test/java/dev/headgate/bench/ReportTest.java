package dev.headgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private static final KeptRun RUN = new KeptRun(
            "peers",
            Instant.parse("2026-11-24T16:10:00Z"),
            true,
            "2 cores",
            Map.of("Headgate", "of this checkout"),
            List.of(
                    new KeptRun.Figure("raise", "first served, ms", "%.1f", "Headgate", List.of(3.0, 1.0, 2.0)),
                    new KeptRun.Figure("raise", "first served, ms", "%.1f", "HikariCP", List.of()),
                    new KeptRun.Figure("raise", "served", "%.0f", "Headgate", List.of(8.0))),
            List.of(new KeptRun.Answer("close twice", "Headgate", "no | effect")));

    @Test
    void tablesStandBetweenTheirMarkersAndTheProseStays() {
        String page = "# Prose\n<!-- run peers -->\nold\n<!-- end of run -->\nmore prose\n";
        assertThat(Report.put(page, RUN)).isEqualTo("""
                # Prose
                <!-- run peers -->

                2026-11-24, 16:10:00 UTC, the quick form; 2 cores. Headgate of this checkout.

                **raise**

                |  | first served, ms | served |
                | --- | --- | --- |
                | Headgate | 2.0 (1.0 … 3.0, n=3) | 8 (8 … 8, n=1) |
                | HikariCP | never |  |

                |  | Headgate |
                | --- | --- |
                | close twice | no \\| effect |

                <!-- end of run -->
                more prose
                """);
        assertThat(Report.put(Report.put(page, RUN), RUN)).isEqualTo(Report.put(page, RUN));
    }

    @Test
    void aPageWithoutMarkersIsRefused() {
        assertThatThrownBy(() -> Report.put("# Prose\n", RUN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("<!-- run peers -->");
    }

    @Test
    void theNewestRunOfABenchmarkIsFound(@TempDir Path folder) throws Exception {
        assertThat(KeptRun.newest(folder.resolve("none"), "peers")).isEmpty();
        KeptRun later =
                new KeptRun("peers", RUN.began().plusSeconds(60), false, "2 cores", Map.of(), RUN.figures(), List.of());
        RUN.keepIn(folder);
        later.keepIn(folder);
        Files.writeString(folder.resolve("contract-2027.json"), "of another");
        assertThat(KeptRun.newest(folder, "peers")).contains(later);
    }
}
