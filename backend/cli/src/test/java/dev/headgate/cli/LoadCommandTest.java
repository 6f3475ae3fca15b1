package dev.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadCommandTest {

    private static final String STATUS = """
            {"name": "mine", "domain": "bank", "achievedPerSecond": 19.5, "offeredPerSecond": 20, "inFlight": 0, "errors": 1, "refused": 3,
             "dropped": %d, "lateMs": 90, "totalLateMs": %s, "lastError": "book: no",
             "latency": {"p50Ms": 2, "p95Ms": 4, "p99Ms": 8},
             "total": {"windowMs": 1000, "count": 20, "meanMs": 2.5, "p50Ms": 2, "p95Ms": 4, "p99Ms": 8, "maxMs": 16}}""";

    @TempDir
    Path folder;

    private ScriptedService service;

    @BeforeEach
    void open() throws IOException {
        service = new ScriptedService();
    }

    @AfterEach
    void close() {
        service.close();
    }

    private Ran run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("lab", "load"));
        all.addAll(List.of(arguments));
        return Ran.with(
                Map.of("HEADGATE_URL", service.url(), "HEADGATE_TOKEN", ScriptedService.TOKEN),
                folder,
                all.toArray(String[]::new));
    }

    private String file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, text);
        return file.toString();
    }

    @Test
    void aYamlFileIsSentShownAndRemoved() throws IOException {
        service.answering("/workloads/mine", 200, STATUS.formatted(0, "0.4"));
        String file = file("mine.yaml", """
                domain: auction
                ratePerSecond: 20
                transactions:
                  - name: look
                    weight: 9
                    parameters: {aid: 'random(1, 9)'}
                    statements: [SELECT :aid]
                """);
        Ran ran = run(file, "--domain", "bank", "--seconds", "1", "--seed", "4");
        assertThat(ran.code()).as(ran.err()).isZero();
        assertThat(service.asked().stream().map(ScriptedService.Asked::method))
                .containsExactly("PUT", "GET", "GET", "PATCH", "DELETE");
        assertThat(service.asked().getFirst().body()).isEqualTo("""
                {"domain":"bank","ratePerSecond":20,"transactions":[{"name":"look","weight":9,"parameters":{"aid":"random(1, 9)"},"statements":["SELECT :aid"]}],"seed":4}""");
        assertThat(ran.err())
                .isEqualTo(
                        "   1 s  19.5/s of 20.0/s  p50 2.0  p95 4.0  p99 8.0 ms  in flight 0  errors 1  refused 3\n");
        assertThat(ran.out()).isEqualTo("""
                mine on bank: 20 transactions in 1 s, 20.0/s of 24.0/s offered
                Latency from the scheduled arrival: mean 2.5, p50 2.0, p95 4.0, p99 8.0, max 16.0 ms
                Errors 1, refused 3
                The last error: book: no
                The load generator kept up: 99 % of arrivals began within 0.4 ms of their time.
                """);
    }

    @Test
    void aLoadThatHasItsNameIsLeftAlone() throws IOException {
        service.answering("/workloads/mine", 412, """
                {"status": 412, "detail": "There is a load 'mine' already. Choose another name."}""");
        Ran refused = run(file("mine.yaml", "domain: bank"), "--seconds", "1");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("There is a load 'mine' already.");
        assertThat(service.only().method()).isEqualTo("PUT");
        assertThat(service.only().ifNoneMatch()).isEqualTo("*");
    }

    @Test
    void aLoadThatHasItsNameIsReplacedWhereThatIsAsked() throws IOException {
        service.answering("/workloads/mine", 200, STATUS.formatted(0, "0.4"));
        assertThat(run(file("mine.yaml", "domain: bank"), "--seconds", "1", "--replace")
                        .code())
                .isZero();
        assertThat(service.asked().getFirst().ifNoneMatch()).isNull();
    }

    @Test
    void aVariableOfTheCommandTakesThePlaceOfOneOfTheFileAndOfNoOther() throws IOException {
        service.answering("/workloads/mine", 200, STATUS.formatted(0, "0.4"));
        String file = file("mine.yaml", "{domain: bank, variables: {scale: 10, branches: 3}}");
        assertThat(run(file, "-D", "branches=5", "-D", "tellers=2", "--seconds", "1")
                        .code())
                .isZero();
        assertThat(service.asked().getFirst().body()).isEqualTo("""
                        {"domain":"bank","variables":{"scale":10,"branches":5.0,"tellers":2.0}}""");
        run(file("wrong.yaml", "{domain: bank, variables: 7}"), "--name", "mine", "-D", "a=1", "--seconds", "1");
        assertThat(service.asked())
                .extracting(ScriptedService.Asked::body)
                .contains("{\"domain\":\"bank\",\"variables\":7}");
    }

    /** The parser reads pieces of about a thousand characters. */
    @Test
    void aCharacterOfTwoHalvesIsReadWhereverItIs() {
        for (int before = 1_000; before < 1_050; before++) {
            String text = "x".repeat(before) + "😀".repeat(2_000);
            assertThat(LoadYaml.read("a.yaml", "description: " + text + "\n", 100_000))
                    .containsEntry("description", text);
        }
    }

    @Test
    void scriptsAreSentWithTheirWeightsAndTheGeneratorsOwnLimitsAreTold() throws IOException {
        service.answering("/workloads/tpc-b", 200, STATUS.formatted(3, "41.5"));
        Ran ran = run(
                file("TPC_B.sql", "SELECT 1;") + "@7",
                file("look.sql", "SELECT 2;"),
                "--domain",
                "bank",
                "--rate",
                "50",
                "-D",
                "scale=10",
                "--seconds",
                "1");
        assertThat(ran.code()).as(ran.err()).isZero();
        assertThat(service.asked().getFirst().body()).isEqualTo("""
                {"transactions":[{"name":"TPC_B.sql","weight":7,"script":"SELECT 1;"},{"name":"look.sql","weight":1,"script":"SELECT 2;"}],"domain":"bank","ratePerSecond":50.0,"variables":{"scale":10.0}}""");
        assertThat(ran.out())
                .contains("3 of the refused were dropped at the source, because 1,000 arrivals were in flight")
                .contains("The load generator was a bottleneck: one arrival in a hundred began 41.5 ms late or later");
    }

    @Test
    void aLoadInPhasesIsShownPhaseByPhaseUntilItIsOver() throws IOException {
        String phases = """
                , "running": %s, "users": null, "phase": 1, "phases": [
                  {"from": 10, "to": 10, "seconds": 1.5, "warmUp": true, "offered": 15, "errors": 2, "refused": 0,
                   "latency": {"windowMs": 1502, "count": 8, "meanMs": 9, "p50Ms": 8, "p95Ms": 12, "p99Ms": 13}},
                  {"from": 10, "to": 40, "seconds": 2, "warmUp": false, "offered": 50, "errors": 0, "refused": 1,
                   "latency": {"windowMs": 2000, "count": 49, "meanMs": 2.5, "p50Ms": 2, "p95Ms": 4, "p99Ms": 8}}]}""";
        String status = STATUS.formatted(0, "0.4");
        service.answering("/workloads/ramp", 200, status.substring(0, status.length() - 1) + phases.formatted("false"));
        Ran ran = run(file("ramp.yaml", """
                domain: bank
                phases:
                  - {seconds: 1.5, ratePerSecond: 10, warmUp: true}
                  - {seconds: 2, ratePerSecond: 10, toRatePerSecond: 40}
                transactions: [{name: one, statements: [SELECT 1]}]
                """));
        assertThat(ran.code()).as(ran.err()).isZero();
        assertThat(service.asked().getFirst().body())
                .contains("{\"seconds\":2,\"ratePerSecond\":10,\"toRatePerSecond\":40}");
        assertThat(ran.out())
                .contains(
                        "Phase 1, 10/s: 5.3/s of 10.0/s offered in 1.5 s, mean 9.0, p50 8.0, p95 12.0, p99 13.0 ms, errors 2, refused 0 (warm-up, counts for nothing else)\n"
                                + "Phase 2, 10 to 40/s: 24.5/s of 25.0/s offered in 2 s, mean 2.5, p50 2.0, p95 4.0, p99 8.0 ms, errors 0, refused 1\n");
    }

    @Test
    void aRefusalIsToldInSentences() throws IOException {
        service.answering("/workloads/a", 422, """
                {"title": "The request is not valid", "detail": "1 fault", "errors": [
                  {"pointer": "/transactions/0/script", "message": "in line 2: it is wrong", "allowed": "something else"}]}""", "Content-Type", "application/problem+json");
        Ran ran = run(file("a.sql", "SELECT 1;"), "--domain", "bank");
        assertThat(ran.code()).isEqualTo(1);
        assertThat(ran.err()).isEqualTo("""
                headgate: The request is not valid: 1 fault
                  /transactions/0/script in line 2: it is wrong (allowed: something else)
                """);
    }

    @Test
    void whatCannotBeTriedSendsNothing() throws IOException {
        String sql = file("a.sql", "SELECT 1;");
        String yaml = file("a.yaml", "transactions: []");
        Path latin = Files.write(folder.resolve("latin.sql"), new byte[] {(byte) 0xe4});
        refused("lab load needs a file");
        refused("lab load needs a domain: --domain, or 'domain' in the file", sql);
        refused("--seconds must be in 1..86400, was 0", sql, "--domain", "bank", "--seconds", "0");
        refused("there is no file '" + sql + ".gone'", sql + ".gone", "--domain", "bank");
        refused("'" + folder + "' is a folder and no file", folder.toString(), "--domain", "bank");
        refused("cannot be read as UTF-8", latin.toString(), "--domain", "bank");
        refused("--rate takes a number, was 'many'", sql, "--domain", "bank", "--rate", "many");
        refused("--seconds takes a whole number, was '1.5'", sql, "--domain", "bank", "--seconds", "1.5");
        refused("-D takes NAME=NUMBER, was 'scale'", sql, "--domain", "bank", "-D", "scale");
        refused("-D takes NAME=NUMBER, was 'one'", sql, "--domain", "bank", "-D", "scale=one");
        refused("a YAML file is a whole load", yaml, sql, "--domain", "bank");
        refused("is not YAML", file("b.yaml", "a: ["), "--domain", "bank");
        refused("is not a load; it needs transactions", file("c.yaml", "- 1"), "--domain", "bank");
        refused("is not YAML", file("d.yaml", "a: !!java.net.URL [x]"), "--domain", "bank");
        refused(
                "is nested too deeply, at most 50 levels",
                file("e.yaml", "a: " + "[".repeat(100_000) + "]".repeat(100_000)),
                "--domain",
                "bank");
        StringBuilder laughs = new StringBuilder("a0: &a0 [x, x]\n");
        for (int i = 1; i < 40; i++) {
            laughs.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
        }
        refused("is too large with all that its aliases", file("f.yaml", laughs.toString()), "--domain", "bank");
        refused("is nested too deeply", file("g.yaml", "a: &a [*a]"), "--domain", "bank");
        assertThat(service.asked()).isEmpty();
    }

    private void refused(String why, String... arguments) {
        Ran ran = run(arguments);
        assertThat(ran.err()).contains(why);
        assertThat(ran.code()).isEqualTo(2);
    }
}
