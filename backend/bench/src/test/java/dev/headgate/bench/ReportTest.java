package dev.headgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private static final Instant BEGAN = Instant.parse("2026-11-24T16:10:00Z");

    private static final KeptRun RUN = new KeptRun(
            "peers",
            BEGAN,
            true,
            "2 cores",
            Map.of("Headgate", "of this checkout"),
            List.of(
                    figure("raise", "first served, ms", "Headgate", 3, 1, 2),
                    figure("raise", "first served, ms", "HikariCP"),
                    new KeptRun.Figure("raise", "served", "%.0f", "Headgate", List.of(8.0), "8")),
            List.of(new KeptRun.Answer("", "close twice", "Headgate", "no | effect")));

    private static KeptRun.Figure figure(String row, String measure, String subject, double... values) {
        return new KeptRun.Figure(
                row, measure, "%.1f", subject, Arrays.stream(values).boxed().toList(), null);
    }

    /** A run that has one value for each row. */
    private static KeptRun run(int minute, boolean quick, double value, String... rows) {
        return new KeptRun(
                "wire",
                BEGAN.plusSeconds(60L * minute),
                quick,
                "2 cores",
                Map.of(),
                Arrays.stream(rows)
                        .map(row -> figure(row, "ms", "Headgate", value))
                        .toList(),
                List.of());
    }

    @Test
    void tablesStandBetweenTheirMarkersAndTheProseStays() {
        String page = "# Prose\n<!-- run peers -->\nold\n<!-- end of run -->\nmore prose\n";
        assertThat(Report.put(page, "peers", List.of(RUN))).isEqualTo("""
                # Prose
                <!-- run peers -->

                2026-11-24, 16:10:00 UTC, the quick form; 2 cores. Headgate of this checkout.

                **raise**

                |  | first served, ms | served |
                | --- | --- | --- |
                | Headgate | 2.0 (1.0 … 3.0, n=3) | 8, bar 8 |
                | HikariCP | never |  |

                |  | Headgate |
                | --- | --- |
                | close twice | no \\| effect |

                <!-- end of run -->
                more prose
                """);
        assertThat(Report.put(Report.put(page, "peers", List.of(RUN)), "peers", List.of(RUN)))
                .isEqualTo(Report.put(page, "peers", List.of(RUN)));
    }

    @Test
    void rowsWithTheSameMeasuresAreOneTable() {
        String page = "<!-- run wire -->\n<!-- end of run -->\n";
        assertThat(Report.put(page, "wire", List.of(run(0, false, 1, "1 client", "8 clients"))))
                .contains("""
                        |  |  | ms |
                        | --- | --- | --- |
                        | 1 client | Headgate | 1.0 |
                        | 8 clients | Headgate | 1.0 |
                        """);
    }

    @Test
    void aPageWithoutMarkersIsRefused() {
        assertThatThrownBy(() -> Report.put("# Prose\n", "peers", List.of(RUN)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("<!-- run peers -->");
    }

    @Test
    void eachRowIsOfItsNewestFullRunElseOfItsNewestQuickOne() {
        KeptRun old = run(1, false, 1, "simple", "copy");
        KeptRun newer = run(2, false, 2, "simple");
        KeptRun quickBefore = run(3, true, 3, "tls");
        KeptRun quick = run(4, true, 4, "simple", "tls");
        assertThat(Report.chosen(List.of(quick, quickBefore, newer, old)))
                .containsExactly(newer, run(1, false, 1, "copy"), run(4, true, 4, "tls"));
    }

    /** A fresh clone has no kept runs, and whoever measures there has only some rows. */
    @Test
    void aRowWhoseRunIsNotAtHandStaysAsItStands() {
        String page = Report.put(
                "<!-- run wire -->\n<!-- end of run -->\n", "wire", List.of(run(0, false, 1, "simple", "copy", "tls")));
        assertThat(Report.put(page, "wire", List.of(run(1, false, 2, "copy")))).isEqualTo("""
                <!-- run wire -->

                2026-11-24, 16:11:00 UTC; 2 cores.

                **copy**

                |  | ms |
                | --- | --- |
                | Headgate | 2.0 |

                2026-11-24, 16:10:00 UTC; 2 cores.

                |  |  | ms |
                | --- | --- | --- |
                | simple | Headgate | 1.0 |
                | tls | Headgate | 1.0 |

                <!-- end of run -->
                """);
    }

    @Test
    void aFullRunOnThePageStaysBesideAQuickOneAtHand() {
        String full = Report.put(
                "<!-- run wire -->\n<!-- end of run -->\n", "wire", List.of(run(0, false, 1, "simple", "copy")));
        assertThat(Report.put(full, "wire", List.of(run(1, true, 2, "simple", "copy"))))
                .isEqualTo(full);
        String quick = Report.put(full, "wire", List.of(run(1, true, 2, "simple", "tls")));
        assertThat(quick).contains("| simple | Headgate | 1.0 |").contains("**tls**");
        assertThat(Report.put(quick, "wire", List.of(run(2, false, 3, "simple", "copy", "tls"))))
                .isEqualTo(Report.put(full, "wire", List.of(run(2, false, 3, "simple", "copy", "tls"))))
                .doesNotContain("1.0")
                .doesNotContain("2.0");
    }

    @Test
    void answersStayWithTheirRow() {
        KeptRun both = new KeptRun(
                "peers",
                BEGAN,
                false,
                "2 cores",
                Map.of(),
                List.of(figure("raise", "ms", "Headgate", 1), figure("lower | all", "ms", "Headgate", 2)),
                List.of(new KeptRun.Answer("raise", "who", "Headgate", "nobody")));
        String page = Report.put("<!-- run peers -->\n<!-- end of run -->\n", "peers", List.of(both));
        KeptRun later = new KeptRun(
                "peers",
                BEGAN.plusSeconds(60),
                false,
                "2 cores",
                Map.of(),
                List.of(figure("lower | all", "ms", "Headgate", 3)),
                List.of());
        assertThat(Report.put(page, "peers", List.of(later))).isEqualTo("""
                <!-- run peers -->

                2026-11-24, 16:11:00 UTC; 2 cores.

                **lower | all**

                |  | ms |
                | --- | --- |
                | Headgate | 3.0 |

                2026-11-24, 16:10:00 UTC; 2 cores.

                |  |  | ms |
                | --- | --- | --- |
                | raise | Headgate | 1.0 |

                **raise**

                |  | Headgate |
                | --- | --- |
                | who | nobody |

                <!-- end of run -->
                """);
    }

    @Test
    void withoutAKeptRunThePageStaysAsItIs() throws Exception {
        String page = Files.readString(Path.of("../../docs/benchmarks.md"));
        for (String bench : Bench.names()) {
            assertThat(Report.put(page, bench, List.of())).as(bench).isEqualTo(page);
        }
    }

    @Test
    void runsAreFoundTheNewestFirst(@TempDir Path folder) throws Exception {
        assertThat(KeptRun.all(folder.resolve("none"), "wire")).isEmpty();
        KeptRun before = run(0, true, 1, "simple");
        KeptRun later = run(1, false, 2, "simple");
        before.keepIn(folder);
        later.keepIn(folder);
        RUN.keepIn(folder);
        assertThat(KeptRun.all(folder, "wire")).containsExactly(later, before);
        assertThat(KeptRun.all(folder, "peers")).containsExactly(RUN);
    }

    @Test
    void runsOfBeforeBarsAndRowsOfAnswersAreRead(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("peers-2026-11-24T161000Z.json"), """
                {"bench": "peers", "began": "2026-11-24T16:10:00Z", "quick": false, "machine": "2 cores",
                 "versions": {"pgjdbc": "42"},
                 "figures": [{"row": "raise", "measure": "ms", "format": "%.1f", "subject": "Headgate", "values": [1.0]}],
                 "answers": [{"clause": "close twice", "subject": "Headgate", "said": "no effect"}]}""");
        assertThat(KeptRun.all(folder, "peers").getFirst())
                .isEqualTo(new KeptRun(
                        "peers",
                        BEGAN,
                        false,
                        "2 cores",
                        Map.of("pgjdbc", "42"),
                        List.of(figure("raise", "ms", "Headgate", 1)),
                        List.of(new KeptRun.Answer("", "close twice", "Headgate", "no effect"))));
    }

    @Test
    void aFileThatIsNoRunIsLeftOut(@TempDir Path folder) throws Exception {
        RUN.keepIn(folder);
        Files.writeString(folder.resolve("peers-2027.json"), "of another");
        assertThat(KeptRun.all(folder, "peers")).containsExactly(RUN);
    }

    @Test
    void thePageHasAPlaceForEveryBenchmark() throws Exception {
        assertThat(Files.readString(Path.of("../../docs/benchmarks.md")))
                .contains(Bench.names().stream().map(Report::begin).toList());
    }
}
