package dev.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SizeCommandTest {

    private static final String BEGUN = """
            {"id": "3", "state": "running", "mostSeconds": 170, "trialSeconds": 6.538, "least": 1, "most": 12, "before": 5}""";
    private static final String DONE = """
            {"id": "3", "state": "done", "trials": [
              {"size": 5, "perSecond": 812.4, "waitMs": 0.1, "latencyMs": 2.5, "p99Ms": 9.1, "responseMs": 2.6, "ruledOut": ""},
              {"size": 2, "perSecond": 500, "waitMs": 8, "latencyMs": 2, "p99Ms": 7, "responseMs": 10, "ruledOut": "a caller waited 1100 ms"}],
             "answer": {"size": 5, "revision": 7, "sentence": "5 connections give 812.", "policySet": {"policies": [
              {"plugin": "min-max", "parameters": {"min": 1, "max": 5}}]}}}""";

    @TempDir
    Path folder;

    private ScriptedService service;

    @BeforeEach
    void open() throws IOException {
        service = new ScriptedService()
                .answering("/domains/bank/size-searches", 202, BEGUN)
                .answering("/domains/bank/size-searches/3", 200, DONE)
                .answering("/domains/bank/policies", 200, "{\"revision\": 8}");
    }

    @AfterEach
    void close() {
        service.close();
    }

    private Ran run(String... arguments) {
        return Ran.with(
                Map.of("HEADGATE_URL", service.url(), "HEADGATE_TOKEN", ScriptedService.TOKEN),
                folder,
                Stream.concat(Stream.of("lab", "size"), Stream.of(arguments)).toArray(String[]::new));
    }

    @Test
    void trialsAndTheAnswerArePrintedAndNothingIsApplied() {
        Ran ran = run("--domain", "bank", "--most-seconds", "170", "--most", "12");

        assertThat(ran.code()).isZero();
        assertThat(ran.out()).startsWith("5 connections give 812.\n").contains("\"max\" : 5");
        assertThat(ran.err())
                .startsWith(
                        "Sizes from 1 to 12 are tried on the live load of bank, 6.5 s each, for 170 s at most; 5 is in force.\n")
                .contains("   5        812      0.10         2.50     9.10          2.60\n")
                .endsWith("ruled out: a caller waited 1100 ms\n");
        assertThat(service.asked().getFirst().body()).isEqualTo("{\"mostSeconds\":170,\"most\":12}");
        assertThat(service.asked()).hasSize(2);
    }

    @Test
    void theAnswerIsAppliedToTheRevisionInForce() {
        Ran ran = run("--domain", "bank", "--apply");

        assertThat(ran.code()).isZero();
        assertThat(ran.out()).endsWith("Applied as revision 8.\n");
        assertThat(service.asked().getLast().body())
                .isEqualTo("{\"policies\":[{\"plugin\":\"min-max\",\"parameters\":{\"min\":1,\"max\":5}}]}");
    }

    @Test
    void aSearchWithoutAnAnswerSaysWhy() {
        service.answering(
                "/domains/bank/size-searches/3",
                200,
                "{\"id\": \"3\", \"state\": \"failed\", \"problem\": \"bank gave 0 leases in 4 s.\"}");
        Ran ran = run("--domain", "bank");

        assertThat(ran.code()).isEqualTo(1);
        assertThat(ran.err()).endsWith("headgate: the search is failed: bank gave 0 leases in 4 s.\n");
        assertThat(run().code()).isEqualTo(2);
    }
}
