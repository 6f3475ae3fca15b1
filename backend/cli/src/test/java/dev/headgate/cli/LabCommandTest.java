package dev.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabCommandTest {

    private static final String DONE = """
            {"id": "7", "experiment": "pools", "state": "done", "report": {"charts": [{}]}}""";

    @TempDir
    Path folder;

    private ScriptedService service;

    @BeforeEach
    void open() throws IOException {
        service = new ScriptedService()
                .answering("/experiments/pools/runs", 202, "{\"id\": \"7\", \"state\": \"running\"}")
                .answering("/experiments/runs/7/report.md", 200, "# pools\n")
                .answering("/experiments/runs/7/report.md?pictures=true", 200, "# pools\n\n![Waits](pools-1.svg)\n")
                .answering("/experiments/runs/7/samples.csv", 200, "measure\n")
                .answering("/experiments/runs/7/charts/0", 200, "<svg/>");
    }

    @AfterEach
    void close() {
        service.close();
    }

    private Ran run(String... arguments) {
        return Ran.with(
                Map.of("HEADGATE_URL", service.url(), "HEADGATE_TOKEN", ScriptedService.TOKEN),
                folder,
                Stream.concat(Stream.of("lab"), Stream.of(arguments)).toArray(String[]::new));
    }

    @Test
    void aRunIsAskedForWithItsValuesAndItsReportIsPrintedAndWritten() throws IOException {
        service.answering("/experiments/runs/7", 200, DONE);
        Path to = folder.resolve("reports");
        Ran ran = run("pools", "--full", "--set", "threads=20", "--seed", "3", "--to", to.toString());
        assertThat(ran.code()).isZero();
        assertThat(ran.out()).isEqualTo("# pools\n");
        assertThat(service.asked().getFirst().body())
                .isEqualTo("{\"form\":\"full\",\"values\":{\"threads\":20.0},\"seed\":3}");
        try (Stream<Path> files = Files.list(to)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("pools.md", "pools.csv", "pools.json", "pools-1.svg");
        }
        assertThat(to.resolve("pools.md")).content().contains("](pools-1.svg)");
    }

    /** A run takes minutes, and of {@code --all} none would be written. */
    @Test
    void aFolderThatCannotBeMadeIsRefusedBeforeAnythingRuns() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "no folder");
        for (String to : List.of(file.toString(), file.resolve("reports").toString())) {
            refused("the folder '" + to + "' of --to cannot be made", "pools", "--to", to);
            refused("the folder '" + to + "' of --to cannot be made", "--all", "--to", to);
        }
    }

    @Test
    void aRunThatFailedSaysWhy() {
        service.answering(
                "/experiments/runs/7",
                200,
                "{\"id\": \"7\", \"state\": \"failed\", \"problem\": \"The disk is full.\"}");
        Ran ran = run("pools");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).isEqualTo("headgate: the run 7 is failed: The disk is full.\n");
    }

    @Test
    void experimentsRunsAndComparisonsAreShown() {
        service.answering("/experiments", 200, """
                        {"items": [{"name": "pools", "question": "Which?", "source": "Hanik", "parameters": [
                          {"name": "threads", "description": "Borrowers", "unit": "", "quick": 10, "full": 20, "least": 1, "most": 99},
                          {"name": "roundMs", "description": "Of each round", "unit": "ms", "quick": 350, "full": 3000, "least": 0.5, "most": 60000}]}]}""")
                .answering("/experiments/runs", 200, """
                        {"items": [{"id": "7", "experiment": "pools", "form": "quick", "state": "done",
                          "startedAt": "2026-11-24T03:00:00Z"}]}""")
                .answering("/experiments/comparison?first=6&second=7", 200, """
                        {"experiment": "pools", "secondExperiment": "pools", "sameSetUp": false, "rows": [{"measure": "fetches", "unit": "1/s", "first": 100, "second": 150,
                          "ratio": 1.5, "chance": 0.01, "outcome": "better"}, {"measure": "wait", "unit": "ms", "first": 1, "second": 2,
                          "ratio": 2, "chance": null, "outcome": "too-few-samples"}, {"measure": "errors", "unit": "", "first": 0,
                          "second": 3, "ratio": 0, "chance": 0.0000123, "outcome": "worse"}],
                          "firstOnly": [{"measure": "stalls", "unit": "ms", "median": 12.5}], "secondOnly": []}""")
                .answering("/experiments/comparison?first=6&second=8", 200, """
                        {"experiment": "pools", "secondExperiment": "tiers", "sameSetUp": false, "rows": [],
                          "firstOnly": [{"measure": "fetches", "unit": "1/s", "median": 100}],
                          "secondOnly": [{"measure": "gold's p99", "unit": "ms", "median": 3}]}""");
        assertThat(run("--list").out()).isEqualTo("""
                        pools
                          Which?
                          After Hanik.
                            --set threads=10  Borrowers (1..99; with --full 20)
                            --set roundMs=350  Of each round (0.5..60000 ms; with --full 3000)
                        """);
        assertThat(run().out()).startsWith("pools\n");
        assertThat(run("--runs").out()).isEqualTo("7     pools              quick done      2026-11-24T03:00:00Z\n");
        assertThat(run("--compare", "6", "7").out())
                .startsWith("pools: run 7 beside run 6 (another machine, version or other values)\n")
                .contains("| fetches | 1/s | 100 | 150 | 1.50 | 0.010 | better |\n"
                        + "| wait | ms | 1.00 | 2.00 | 2.00 | - | too few samples |\n"
                        + "| errors |  | 0.00 | 3.00 | - | < 0.001 | worse |\n\nchance: ")
                .endsWith("\nonly run 6 measured: stalls 12.5 ms\n");
        assertThat(run("--compare", "6", "8").out()).isEqualTo("""
                        run 8 of tiers beside run 6 of pools (another machine, version or other values)

                        They measured nothing in common.

                        only run 6 measured: fetches 100 1/s

                        only run 8 measured: gold's p99 3.00 ms
                        """);
    }

    @Test
    void allOfThemRunOneAfterAnotherAndEachTimeIsTold() throws IOException {
        service.answering("/experiments", 200, "{\"items\": [{\"name\": \"pools\"}, {\"name\": \"tiers\"}]}")
                .answering("/experiments/tiers/runs", 202, "{\"id\": \"8\", \"state\": \"running\"}")
                .answering("/experiments/runs/7", 200, """
                        {"id": "7", "experiment": "pools", "state": "done", "report": {"charts": [{}]},
                         "startedAt": "2026-11-24T03:00:00Z", "endedAt": "2026-11-24T03:01:01.5Z"}""")
                .answering("/experiments/runs/8", 200, """
                        {"id": "8", "experiment": "tiers", "state": "failed", "problem": "The disk is full.",
                         "startedAt": "2026-11-24T03:02:00Z", "endedAt": "2026-11-24T03:02:30Z"}""");
        Path to = folder.resolve("reports");
        Ran ran = run("--all", "--quick", "--seed", "7", "--to", to.toString());
        assertThat(ran.out()).isEqualTo("""
                        pools                61.5 s  run 7
                        tiers                30.0 s  the run 8 is failed: The disk is full.
                        2 experiments in 91.5 s (1.5 minutes), 1 of them failed
                        """);
        assertThat(ran.err()).contains("1 of 2: pools\n").contains("2 of 2: tiers\n");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(to.resolve("pools.md")).exists();
        assertThat(service.asked().stream()
                        .filter(each -> each.method().equals("POST"))
                        .map(each -> each.uri() + each.body()))
                .containsExactly(
                        "/api/v1/experiments/pools/runs{\"form\":\"quick\",\"values\":{},\"seed\":7}",
                        "/api/v1/experiments/tiers/runs{\"form\":\"quick\",\"values\":{},\"seed\":7}");
        assertThat(service.asked()).noneMatch(each -> each.method().equals("DELETE"));
    }

    @Test
    void anInterruptCancelsTheRunAndDeletesNoneThatHasEnded() {
        service.answering("/experiments/runs/7/cancel", 200, DONE);
        LabCommand.cancelling(new Service(service.url(), ScriptedService.TOKEN), "7")
                .run();
        assertThat(service.only().method() + " " + service.only().uri())
                .isEqualTo("POST /api/v1/experiments/runs/7/cancel");
    }

    @Test
    void allTakesNeitherANameNorValues() {
        assertThat(run("--all", "pools").err())
                .contains("--all runs every experiment; it takes no name, was given pools");
        Ran ran = run("--all", "--set", "threads=20");
        assertThat(ran.err()).contains("--set is for one experiment");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(service.asked()).isEmpty();
    }

    @Test
    void aWrongArgumentIsToldInTheWordsOfTheHelp() {
        refused("--compare needs 2 values", "--compare", "1");
        refused("--set takes NAME=NUMBER, was 'rounds'", "pools", "--set", "rounds");
        refused("--set takes NAME=NUMBER, was 'many'", "pools", "--set", "rounds=many");
        refused("--seed takes a whole number, was '1.5'", "pools", "--seed", "1.5");
        refused("--full takes no value, was 'x'", "pools", "--full=x");
        refused(
                "lab runs one experiment at a time, and was given 'tiers' besides; --all runs every one",
                "pools",
                "tiers");
        assertThat(service.asked()).isEmpty();
    }

    private void refused(String why, String... arguments) {
        Ran ran = run(arguments);
        assertThat(ran.err()).isEqualTo("headgate: " + why + "\n");
        assertThat(ran.code()).isEqualTo(2);
    }

    @Test
    void bothFormsAtOnceAreRefused() {
        Ran ran = run("pools", "--quick", "--full");
        assertThat(ran.code()).isEqualTo(2);
        assertThat(service.asked()).isEqualTo(List.of());
    }
}
