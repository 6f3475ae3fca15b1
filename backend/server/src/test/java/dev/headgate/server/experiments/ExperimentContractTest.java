package dev.headgate.server.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiments;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Table;
import dev.headgate.server.Service;
import dev.headgate.server.access.Access;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.limits.Holders;
import dev.headgate.server.plugins.PluginCatalog;
import dev.headgate.server.store.DataFolder;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

class ExperimentContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    private static Report report(double... samples) {
        return new Report(
                List.of(Finding.of("It grows", false, "It did not.")),
                List.of(new Chart(
                        "Growth",
                        Chart.Axis.of("size", ""),
                        Chart.Axis.of("time", "ms"),
                        List.of(new Chart.Line("pool", Chart.Style.LINE, List.of(1.0, 2.0), List.of(3.0, 4.0))),
                        "It is flat.")),
                List.of(new Table("Sizes", List.of("size"), List.of(List.of("1")))),
                List.of(new Measure(
                        "throughput",
                        "1/s",
                        Measure.Better.MORE,
                        java.util.Arrays.stream(samples).boxed().toList())),
                List.of("A note."));
    }

    private static ExperimentRun.SetUp setUp(String postgres, @Nullable Double load) {
        return new ExperimentRun.SetUp(
                "0.1.0", "25", postgres, Map.of("pgjdbc", "42.7.14"), "A processor", 2, load, 1, "Linux");
    }

    private static String stored(String experiment, Report report) {
        return stored(experiment, report, 0.5);
    }

    private static String stored(String experiment, Report report, double load) {
        ExperimentRunStore store = service.bean(ExperimentRunStore.class);
        Instant now = Instant.parse("2026-11-24T03:00:00Z");
        long id = store.add(new ExperimentRun(
                0,
                experiment,
                "quick",
                Map.of("seconds", 2.0),
                5,
                ExperimentRun.RUNNING,
                now,
                null,
                "admin",
                setUp("17.5", load),
                null,
                null));
        store.ended(id, ExperimentRun.DONE, now, report, null);
        return Long.toString(id);
    }

    @Test
    void everyExperimentTellsWhatItAsks() {
        JsonNode items = service.get("/experiments").expect(200).json().get("items");
        assertThat(items.size()).isEqualTo(Experiments.all().size());
        for (JsonNode each : items) {
            assertThat(each.get("question").asString()).endsWith("?");
            assertThat(each.get("source").asString()).isNotEmpty();
        }
    }

    @Test
    void aDoneRunIsReadInEveryForm() {
        String id = stored("policy-sweep", report(1, 2, 3));
        JsonNode run = service.get("/experiments/runs/" + id).expect(200).json();
        assertThat(run.at("/report/findings/0/verdict").asString()).isEqualTo("differs");
        assertThat(run.at("/report/charts/0/lines/0/style").asString()).isEqualTo("line");
        assertThat(run.at("/report/measures/0/median").asDouble()).isEqualTo(2);
        assertThat(service.get("/experiments/runs/" + id + "/report.md")
                        .expect(200)
                        .text())
                .startsWith("# policy-sweep")
                .contains("- **It grows**: does not hold here. It did not.")
                .contains("| run | " + id + " |")
                .contains("| values | seconds=2 |")
                .contains("| seed | 5 |")
                .contains("| started | 2026-11-24T03:00:00Z |")
                .contains("| Headgate | 0.1.0 |")
                .contains("| pgjdbc | 42.7.14 |")
                .contains("| processors | 2 x A processor |")
                .doesNotContain(".svg)");
        assertThat(service.get("/experiments/runs/" + id + "/report.md?pictures=true")
                        .expect(200)
                        .text())
                .contains("](policy-sweep-1.svg)");
        assertThat(service.get("/experiments/runs/" + id + "/samples.csv")
                        .expect(200)
                        .text())
                .startsWith("measure,unit,sample,value,run,startedAt,headgate,seed\r\n")
                .contains("\"throughput\",1/s,3,3.0,\"" + id + "\",\"2026-11-24T03:00:00Z\",\"0.1.0\",\"5\"\r\n");
        assertThat(service.get("/experiments/runs/" + id + "/charts/0")
                        .expect(200)
                        .text())
                .startsWith("<svg");
        service.get("/experiments/runs/" + id + "/charts/1").expect(404);
        JsonNode listed = service.get("/experiments/runs?experiment=policy-sweep&limit=1")
                .expect(200)
                .json()
                .at("/items/0");
        assertThat(listed.get("id").asString()).isEqualTo(id);
        assertThat(listed.get("report").isNull()).isTrue();
        service.delete("/experiments/runs/" + id).expect(204);
        service.get("/experiments/runs/" + id).expect(404);
    }

    /** A real run to its end, as short as it can be. */
    @Test
    void aRunThatWasStartedEndsAsDoneAndIsReadInEveryForm() {
        String id = service.post(
                        "/experiments/pipelining/runs",
                        "{\"seed\": 9, \"values\": {\"samples\": 3, \"longSamples\": 1, \"longMs\": 6}}")
                .expect(202)
                .json()
                .get("id")
                .asString();
        String path = "/experiments/runs/" + id;
        await().atMost(Service.PATIENCE)
                .until(() -> !service.get(path).json().get("state").asString().equals("running"));

        JsonNode run = service.get(path).expect(200).json();
        assertThat(run.get("state").asString())
                .as(run.get("problem").toString())
                .isEqualTo("done");
        assertThat(run.at("/report/findings").size()).isEqualTo(3);
        assertThat(run.at("/report/charts/0/lines").size()).isEqualTo(4);
        assertThat(run.at("/report/measures/0/samples").size()).isEqualTo(3);
        assertThat(service.get(path + "/report.md").expect(200).text())
                .startsWith("# pipelining")
                .contains("| seed | 9 |")
                .contains("samples=3")
                .contains("as calibrated.");
        assertThat(service.get(path + "/report.md?pictures=true").expect(200).text())
                .contains("](pipelining-1.svg)");
        assertThat(service.get(path + "/samples.csv").expect(200).text().lines())
                .hasSize(1 + 3 + 3 + 1)
                .anyMatch(line -> line.startsWith("\"gain of 25 requests, loopback\","));
        assertThat(service.get(path + "/charts/0").expect(200).text())
                .startsWith("<svg")
                .contains("Gain of pipelining");
        assertThat(service.get("/experiments/comparison?first=" + id + "&second=" + id)
                        .expect(200)
                        .json()
                        .get("rows")
                        .size())
                .isEqualTo(3);
    }

    @Test
    void twoRunsAreCompared() {
        String first = stored("policy-sweep", report(10, 11, 12, 13));
        String second = stored("policy-sweep", report(20, 21, 22, 23), 3.5); // the load is no part of the set-up
        JsonNode compared = service.get("/experiments/comparison?first=" + first + "&second=" + second)
                .expect(200)
                .json();
        assertThat(compared.get("sameSetUp").asBoolean()).isTrue();
        assertThat(compared.at("/rows/0/outcome").asString()).isEqualTo("better");
        String other = stored("other", report(1));
        JsonNode ofTwo = service.get("/experiments/comparison?first=" + first + "&second=" + other)
                .expect(200)
                .json();
        assertThat(ofTwo.get("experiment").asString()).isEqualTo("policy-sweep");
        assertThat(ofTwo.get("secondExperiment").asString()).isEqualTo("other");
        assertThat(ofTwo.get("sameSetUp").asBoolean()).isFalse();
        service.get("/experiments/comparison?first=" + first + "&second=0").expect(404);
    }

    @Test
    void wrongValuesAreRefusedAndNothingIsStarted() {
        JsonNode problem = service.post(
                        "/experiments/policy-sweep/runs", "{\"values\": {\"seconds\": 0, \"colour\": 1}}")
                .expect(422)
                .json();
        assertThat(problem.at("/errors/0/pointer").asString()).isEqualTo("/values/seconds");
        assertThat(problem.at("/errors/0/message").asString()).isEqualTo("must be a whole number, 1 to 120, was 0");
        assertThat(problem.at("/errors/1/pointer").asString()).isEqualTo("/values/colour");
        JsonNode fraction = service.post("/experiments/policy-sweep/runs", "{\"values\": {\"connections\": 4.5}}")
                .expect(422)
                .json();
        assertThat(fraction.at("/errors/0/message").asString()).contains("must be a whole number, 4 to 50, was 4.5");
        JsonNode seed = service.post("/experiments/policy-sweep/runs", "{\"seed\": 9007199254740992}")
                .expect(422)
                .json();
        assertThat(seed.at("/errors/0/pointer").asString()).isEqualTo("/seed");
        service.post("/experiments/policy-sweep/runs", "{\"form\": \"endless\"}")
                .expect(422);
        service.post("/experiments/none/runs", "{}").expect(404);
        service.get("/experiments/runs/x1").expect(404);
    }

    @Test
    void oneRunAtATimeIsInProgressUntilItIsCancelled() {
        String id = service.post("/experiments/policy-sweep/runs", "{\"seed\": 9}")
                .expect(202)
                .json()
                .get("id")
                .asString();
        service.post("/experiments/policy-sweep/runs", "{}").expect(409);
        await().atMost(Service.PATIENCE)
                .until(() -> service.get("/experiments/runs/" + id)
                                .json()
                                .get("progress")
                                .asDouble()
                        > 0);
        JsonNode running = service.get("/experiments/runs/" + id).json();
        assertThat(running.get("doing").asString()).startsWith("auction");
        assertThat(running.at("/setUp/postgres").asString()).isNotEmpty();
        assertThat(running.at("/setUp/processor").asString()).isNotEmpty();
        assertThat(running.at("/setUp/versions/pgjdbc").asString()).startsWith("42.");
        assertThat(running.at("/setUp/versions/HikariCP").asString()).isNotEmpty();
        service.get("/experiments/runs/" + id + "/report.md").expect(409);
        assertThat(service.post("/experiments/runs/" + id + "/cancel", null)
                        .expect(200)
                        .json()
                        .get("state")
                        .asString())
                .isEqualTo("running");
        await().atMost(Service.PATIENCE)
                .until(() -> service.get("/experiments/runs/" + id)
                        .json()
                        .get("state")
                        .asString()
                        .equals("cancelled"));
        assertThat(service.get("/audit?target=experiments/runs/" + id).text())
                .contains("experiments.run")
                .contains("experiments.cancel");
    }

    @Test
    void cancellingARunThatHasEndedLeavesIt() {
        String id = stored("policy-sweep", report(1, 2, 3));
        assertThat(service.post("/experiments/runs/" + id + "/cancel", null)
                        .expect(200)
                        .json()
                        .get("state")
                        .asString())
                .isEqualTo("done");
        service.get("/experiments/runs/" + id + "/report.md").expect(200);
        service.post("/experiments/runs/0/cancel", null).expect(404);
    }

    @Test
    void aRunThatEndedWithItsServiceIsToldAsFailed() {
        ExperimentRunStore store = service.bean(ExperimentRunStore.class);
        long id = store.add(new ExperimentRun(
                0,
                "left-behind",
                "full",
                Map.of(),
                1,
                ExperimentRun.RUNNING,
                Instant.EPOCH,
                null,
                "admin",
                setUp("", null),
                null,
                null));
        assertThat(store.endLeftBehind("Headgate ended while it ran.", Instant.EPOCH))
                .isPositive();
        JsonNode run = service.get("/experiments/runs/" + id).expect(200).json();
        assertThat(run.get("state").asString()).isEqualTo("failed");
        assertThat(run.get("problem").asString()).startsWith("Headgate ended");
    }

    /** Nobody has cancelled it. */
    @Test
    void aRunThatIsUnderWayWhenItsServiceStopsIsToldAsFailed() throws InterruptedException {
        ExperimentRuns runs = new ExperimentRuns(
                service.bean(ExperimentRunStore.class),
                service.bean(DataFolder.class),
                service.bean(PluginCatalog.class),
                service.bean(MemoryAccount.class),
                service.bean(Supervisor.class),
                service.bean(Audit.class),
                service.bean(Access.class),
                service.bean(TransactionTemplate.class),
                Clock.systemUTC());
        String id = runs.start("async-drivers", new ExperimentRunRequest("quick", Map.of("samples", 2000.0), null))
                .id();
        runs.stop();
        JsonNode run = service.get("/experiments/runs/" + id).expect(200).json();
        assertThat(run.get("state").asString()).isEqualTo("failed");
        assertThat(run.get("problem").asString()).isEqualTo("Headgate ended while it ran.");
    }

    @Test
    void theMemoryOfARunFitsIntoTheAccountThatUpGives() {
        MemoryAccount account = service.bean(MemoryAccount.class);
        try (MemoryAccount.Share share = account.share(Holders.WORK, "experiments")) {
            long ofUp = (512L << 20) / 4; // a quarter of its heap, -Xmx512m
            assertThat((double) ExperimentRuns.BYTES / ofUp)
                    .isLessThanOrEqualTo((double) share.most() / account.most());
        }
    }

    /** The store is away when a run ends: the run waits for it. */
    @Test
    void theEndOfARunIsStoredWhenTheStoreIsBack() {
        JdbcClient store = service.bean(JdbcClient.class);
        store.sql("create sequence refused_runs").update();
        store.sql("""
                create function refuse_run() returns trigger language plpgsql as
                $$ begin
                    if nextval('refused_runs') < 3 then raise exception 'not now' using errcode = '57P03'; end if;
                    return new;
                end $$""").update();
        store.sql("""
                create trigger refuse_run before update of state on experiment_run
                for each row execute function refuse_run()""").update();
        try {
            String id = service.post("/experiments/policy-sweep/runs", "{}")
                    .expect(202)
                    .json()
                    .get("id")
                    .asString();
            service.delete("/experiments/runs/" + id).expect(204);
            await().atMost(Service.PATIENCE)
                    .until(() -> service.get("/experiments/runs/" + id)
                            .json()
                            .get("state")
                            .asString()
                            .equals("cancelled"));
        } finally {
            store.sql("drop function refuse_run() cascade").update();
            store.sql("drop sequence refused_runs").update();
        }
    }
}
