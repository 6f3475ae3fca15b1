package dev.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.server.Service;
import dev.headgate.server.api.Scope;
import dev.headgate.spi.WhenExhausted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

class PolicyContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @Test
    void aNewSetIsTheNextRevisionAndIsInForceAtOnce() {
        service.domain("next", fixed(1, 5));
        Service.Answer read = service.get("/domains/next/policies").expect(200);
        assertThat(read.header("ETag")).isEqualTo("\"1\"");
        assertThat(read.json().get("actor").asString()).isEqualTo("admin");
        assertThat(read.json().get("policySet").toString())
                .isEqualTo(
                        "{\"policies\":[{\"plugin\":\"fixed\",\"version\":\"1.2.3\",\"parameters\":{\"min\":1,\"max\":5}}],"
                                + "\"whenExhausted\":{\"mode\":\"queue\",\"timeoutMs\":5000,\"depth\":1000}}");

        Service.Answer put = service.put(
                "/domains/next/policies",
                "{\"policies\": " + fixed(2, 9) + ", \"whenExhausted\": {\"mode\": \"fail\"}, \"comment\": \"more\"}",
                "If-Match",
                "\"1\"");

        assertThat(put.expect(200).header("ETag")).isEqualTo("\"2\"");
        assertThat(put.json().get("comment").asString()).isEqualTo("more");
        JsonNode pool = service.get("/domains/next/pool").expect(200).json();
        assertThat(pool.get("revision").asInt()).isEqualTo(2);
        assertThat(pool.get("ceiling").asInt()).isEqualTo(9);
        assertThat(pool.get("floor").asInt()).isEqualTo(2);
        assertThat(pool.get("whenExhausted").get("mode").asString()).isEqualTo("fail");
        assertThat(pool.get("binding").get("reason").asString()).isEqualTo("The maximum is 9.");
        service.delete("/domains/next").expect(204);
    }

    @Test
    void theSameSetMakesNoRevision() {
        service.domain("same", fixed(1, 5));
        service.put("/domains/same/policies", "{\"policies\": " + fixed(1, 6) + "}", "If-Match", "\"1\"")
                .expect(200);
        JsonNode before = service.get("/domains/same/policies").json();
        String audited = service.get("/audit?limit=1").text();
        PolicySet running =
                service.bean(Engine.class).pool("same").orElseThrow().policies();

        Service.Answer spelled = service.put(
                "/domains/same/policies",
                "{\"policies\": " + fixed(1, 6) + ", \"whenExhausted\": {\"mode\": \"queue\"}, \"comment\": \"again\"}",
                "If-Match",
                "\"2\"");
        assertThat(spelled.expect(200).header("ETag")).isEqualTo("\"2\"");
        Service.Answer asRead =
                service.put("/domains/same/policies", before.get("policySet").toString(), "If-Match", "\"2\"");
        assertThat(asRead.expect(200).header("ETag")).isEqualTo("\"2\"");
        assertThat(asRead.json()).isEqualTo(before);
        assertThat(service.get("/domains/same/policies/revisions")
                        .json()
                        .get("items")
                        .size())
                .isEqualTo(3);
        assertThat(service.get("/audit?limit=1").text()).isEqualTo(audited);
        assertThat(service.bean(Engine.class).pool("same").orElseThrow().policies())
                .as("the engine was given nothing, so there is no decision")
                .isSameAs(running);
        assertThat(service.put("/domains/same/policies", before.get("policySet").toString(), "If-Match", "\"1\"")
                        .status())
                .as("it must still be based on the revision in force")
                .isEqualTo(412);
        service.delete("/domains/same").expect(204);
    }

    @Test
    void aChangeSaysWhatItIsBasedOn() {
        service.domain("based", fixed(1, 5));
        String set = "{\"policies\": " + fixed(1, 6) + "}";

        assertThat(service.put("/domains/based/policies", set).status()).isEqualTo(428);
        assertThat(service.put("/domains/based/policies", set).problem()).isEqualTo("precondition-required");
        Service.Answer stale = service.put("/domains/based/policies", set, "If-Match", "\"0\"");
        assertThat(stale.status()).isEqualTo(412);
        assertThat(stale.problem()).isEqualTo("stale-revision");
        assertThat(stale.json().get("currentRevision").asInt()).isEqualTo(1);
        assertThat(stale.json().get("actor").asString()).isEqualTo("admin");
        assertThat(service.put("/domains/based/policies", set, "If-Match", "*").status())
                .isEqualTo(400);
        assertThat(service.get("/domains/based/policies").header("ETag")).isEqualTo("\"1\"");
        service.delete("/domains/based").expect(204);
    }

    @Test
    void everyFaultIsToldAtOnceAndNothingChanges() {
        service.domain("faulty", fixed(1, 5));
        Service.Answer answer = service.put("/domains/faulty/policies", """
                {"policies": [
                   {"plugin": "latency-capp", "parameters": {}},
                   {"plugin": "fixed", "parameters": {"max": "many", "mode": "wild", "mni": 3}},
                   {"plugin": "fixed", "parameters": {"max": 500}},
                   {"plugin": "fixed", "parameters": {"min": 30, "max": 20}},
                   {"plugin": "fixed"}],
                 "whenExhausted": {"mode": "panic"}}""", "If-Match", "\"1\"");

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.problem()).isEqualTo("invalid-policy-set");
        assertThat(answer.fault("/policies/0/plugin")).isEqualTo("'latency-capp' is not installed | fixed, shy, stuck");
        assertThat(answer.fault("/policies/1/parameters/max"))
                .isEqualTo("must be a whole number, was \"many\" | 1..100");
        assertThat(answer.fault("/policies/1/parameters/mode"))
                .isEqualTo("must be one of calm, eager, was \"wild\" | calm, eager");
        assertThat(answer.fault("/policies/1/parameters/mni"))
                .isEqualTo("is not a parameter of this plugin | guaranteed, max, min, mode, perSecond");
        assertThat(answer.fault("/policies/2/parameters/max")).isEqualTo("must be at most 100, was 500 | 1..100");
        assertThat(answer.fault("/policies/3/parameters/min")).isEqualTo("must be at most 20 (max), was 30");
        assertThat(answer.fault("/policies/4/parameters/max")).isEqualTo("is missing | 1..100");
        assertThat(answer.fault("/whenExhausted/mode")).isEqualTo("cannot be 'panic' | queue, fail, reject");
        assertThat(service.get("/domains/faulty/policies").header("ETag")).isEqualTo("\"1\"");
        assertThat(service.get("/domains/faulty/policies/revisions")
                        .json()
                        .get("items")
                        .size())
                .isEqualTo(2);
        service.delete("/domains/faulty").expect(204);
    }

    @Test
    void policiesThatContradictEachOtherAreRefused() {
        service.domain("torn", "[]");
        Service.Answer answer = service.put(
                "/domains/torn/policies",
                "{\"policies\": " + "[" + use(10, 30) + "," + use(1, 6) + "]}",
                "If-Match",
                "\"1\"");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/policies/0"))
                .isEqualTo("fixed has a floor of 10, above the ceiling of 6 of fixed at /policies/1"
                        + " | a floor of 0..6");
        service.delete("/domains/torn").expect(204);
    }

    @Test
    void whatAPolicyHasYetToLearnIsNoContradiction() {
        service.domain("learner", "[" + use(10, 30) + ", {\"plugin\": \"shy\"}]");
        assertThat(service.get("/domains/learner/policies").header("ETag")).isEqualTo("\"1\"");
        service.delete("/domains/learner").expect(204);
    }

    @Test
    void aPolicyThatNeverAnswersIsNotTaken() {
        service.domain("patient", "[]");
        Service.Answer answer = service.put(
                "/domains/patient/policies", "{\"policies\": [{\"plugin\": \"stuck\"}]}", "If-Match", "\"1\"");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/policies/0")).isEqualTo("stuck does not answer within 1000 ms");
        service.delete("/domains/patient").expect(204);
    }

    @Test
    void guaranteesOfSiblingsShareTheBudget() {
        service.post("/databases", service.databaseBody("shared", 20)).expect(201);
        service.post("/domains", domainOn("shared", "first", guaranteed(12))).expect(201);
        Service.Answer second = service.post("/domains", domainOn("shared", "second", guaranteed(9)));
        assertThat(second.status()).isEqualTo(422);
        assertThat(second.fault("/policySet/policies/0/parameters/guaranteed"))
                .isEqualTo(
                        "guarantees 9 connections; together with the 12 guaranteed to its siblings this exceeds the budget"
                                + " of 20 of shared | 0..8");
        assertThat(service.get("/domains/second").status()).isEqualTo(404);
        service.post("/domains", domainOn("shared", "second", guaranteed(8))).expect(201);
        Service.Answer more =
                service.put("/domains/first/policies", "{\"policies\": " + guaranteed(13) + "}", "If-Match", "\"1\"");
        assertThat(more.status()).isEqualTo(422);
        service.put("/domains/first/policies", "{\"policies\": " + guaranteed(12) + "}", "If-Match", "\"1\"")
                .expect(200);
        service.delete("/domains/first").expect(204);
        service.delete("/domains/second").expect(204);
        service.delete("/databases/shared").expect(204);
    }

    @Test
    void ofTwoChangesBasedOnTheSameRevisionOneIsMade() throws Exception {
        service.domain("raced", fixed(1, 5));
        int rounds = 10;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 1; round <= rounds; round++) {
                String ifMatch = "\"" + round + "\"";
                CyclicBarrier together = new CyclicBarrier(3);
                List<Callable<Integer>> writers = new ArrayList<>();
                for (int writer = 0; writer < 3; writer++) {
                    String set = "{\"policies\": " + fixed(1, 3 * round + 4 + writer) + "}";
                    writers.add(() -> {
                        together.await();
                        return service.put("/domains/raced/policies", set, "If-Match", ifMatch)
                                .status();
                    });
                }
                List<Integer> statuses = new ArrayList<>();
                for (Future<Integer> answer : threads.invokeAll(writers)) {
                    statuses.add(answer.get());
                }
                assertThat(statuses).containsExactlyInAnyOrder(200, 412, 412);
            }
        }
        JsonNode history =
                service.get("/domains/raced/policies/revisions").json().get("items");
        assertThat(history.size()).isEqualTo(rounds + 2);
        assertThat(history.get(0).get("revision").asInt()).isEqualTo(rounds + 1);
        assertThat(service.bean(Engine.class)
                        .pool("raced")
                        .orElseThrow()
                        .policies()
                        .revision())
                .isEqualTo(rounds + 1);
        service.delete("/domains/raced").expect(204);
    }

    @Test
    void anEarlierRevisionIsBroughtBackAsANewOne() {
        service.domain("undone", fixed(1, 5));
        service.put("/domains/undone/policies", "{\"policies\": " + fixed(1, 8) + "}", "If-Match", "\"1\"")
                .expect(200);

        assertThat(service.post("/domains/undone/policies/revisions/1/restore", null)
                        .status())
                .isEqualTo(428);
        assertThat(service.post("/domains/undone/policies/revisions/77/restore", null, "If-Match", "\"2\"")
                        .status())
                .isEqualTo(404);
        Service.Answer restored = service.post(
                        "/domains/undone/policies/revisions/1/restore", null, "If-Match", "\"2\"")
                .expect(200);

        assertThat(restored.header("ETag")).isEqualTo("\"3\"");
        assertThat(restored.json().get("restoredFrom").asInt()).isEqualTo(1);
        assertThat(service.get("/domains/undone/pool").json().get("ceiling").asInt())
                .isEqualTo(5);
        JsonNode history =
                service.get("/domains/undone/policies/revisions").json().get("items");
        assertThat(List.of(
                        history.get(0).get("revision").asInt(),
                        history.get(1).get("revision").asInt(),
                        history.get(2).get("revision").asInt(),
                        history.get(3).get("revision").asInt()))
                .containsExactly(3, 2, 1, 0);

        for (int same : new int[] {1, 3}) {
            assertThat(service.post(
                                    "/domains/undone/policies/revisions/" + same + "/restore",
                                    null,
                                    "If-Match",
                                    "\"3\"")
                            .expect(200)
                            .header("ETag"))
                    .as("the set in force is that of revision %d", same)
                    .isEqualTo("\"3\"");
        }
        assertThat(service.get("/domains/undone/policies/revisions").json().get("items"))
                .hasSize(4);
        service.delete("/domains/undone").expect(204);
    }

    @Test
    void aPlanTellsTheDifferenceAndChangesNothing() {
        service.domain("planned", fixed(1, 5));
        JsonNode plan = service.post(
                        "/domains/planned/policies/plan",
                        "{\"policies\": [" + use(1, 60) + ", {\"plugin\": \"shy\"}],"
                                + " \"whenExhausted\": {\"mode\": \"queue\", \"timeoutMs\": 5000, \"depth\": 10}}")
                .expect(200)
                .json();

        assertThat(plan.get("baseRevision").asInt()).isEqualTo(1);
        assertThat(plan.get("diff").toString())
                .isEqualTo("[{\"pointer\":\"/policies/0/parameters/max\",\"from\":5,\"to\":60},"
                        + "{\"pointer\":\"/policies/1\",\"from\":null,\"to\":{\"plugin\":\"shy\",\"version\":\"1.2.3\"}},"
                        + "{\"pointer\":\"/whenExhausted/depth\",\"from\":1000,\"to\":10}]");
        assertThat(plan.get("violations").size()).isZero();
        assertThat(plan.get("planned").get("ceiling").asInt()).isBetween(1, 39); // what shy has learned by then
        assertThat(plan.get("planned").get("answers").size()).isEqualTo(2);
        assertThat(plan.get("now").get("ceiling").asInt()).isEqualTo(5);
        assertThat(plan.get("warnings").toString()).contains("ceiling of 60 is above the budget of 40");
        assertThat(service.get("/domains/planned/policies").header("ETag")).isEqualTo("\"1\"");
        service.delete("/domains/planned").expect(204);
    }

    @Test
    void aPlanOfAnInvalidSetTellsItsFaults() {
        service.domain("wrong", fixed(1, 5));
        JsonNode plan = service.post("/domains/wrong/policies/plan", "{\"policies\": " + fixed(0, 500) + "}")
                .expect(200)
                .json();
        assertThat(plan.get("violations").get(0).get("pointer").asString()).isEqualTo("/policies/0/parameters/max");
        assertThat(plan.get("planned").isNull()).isTrue();
        service.delete("/domains/wrong").expect(204);
    }

    @Test
    void aDatabaseHasASetForTheSumOfItsDomains() {
        service.post("/databases", service.databaseBody("summed", 20)).expect(201);
        Service.Answer empty = service.get("/databases/summed/policies").expect(200);
        assertThat(empty.header("ETag")).isEqualTo("\"0\"");
        assertThat(empty.json().get("createdAt").isNull()).isTrue();
        service.put("/databases/summed/policies", "{\"policies\": " + fixed(0, 10) + "}", "If-Match", "\"0\"")
                .expect(200);
        assertThat(service.get("/databases/summed").json().get("revision").asInt())
                .isEqualTo(1);
        assertThat(service.get("/databases/summed")
                        .json()
                        .at("/answers/0/policy")
                        .asString())
                .isEqualTo("database/fixed");
        JsonNode plan = service.post("/databases/summed/policies/plan", "{\"policies\": []}")
                .expect(200)
                .json();
        assertThat(plan.get("planned").get("ceiling").asInt()).isEqualTo(20);
        assertThat(plan.get("now").get("ceiling").asInt()).isEqualTo(10);
        assertThat(plan.get("now").get("answers").get(0).get("policy").asString())
                .isEqualTo("database/fixed");
        service.delete("/databases/summed").expect(204);
    }

    @Test
    void pluginsAreListedWithTheirSchemaAndTheirUsers() {
        service.domain("user", fixed(1, 5));
        JsonNode items = service.get("/policy-plugins").expect(200).json().get("items");
        JsonNode fixed = null;
        for (JsonNode item : items) {
            fixed = item.get("id").asString().equals("fixed") ? item : fixed;
        }
        assertThat(fixed).isNotNull();
        assertThat(fixed.get("description").asString()).isNotEmpty();
        assertThat(fixed.get("source").asString()).isEqualTo("fixed.jar");
        assertThat(fixed.get("parameterSchema")
                        .get("properties")
                        .get("max")
                        .get("maximum")
                        .asInt())
                .isEqualTo(100);
        assertThat(fixed.get("usedBy").toString()).contains("\"user\"");
        service.delete("/domains/user").expect(204);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/domains/nobody/policies", "/databases/nobody/policies", "/domains/nobody/policies/revisions"})
    void whatIsNotThereIsNotFound(String path) {
        assertThat(service.get(path).status()).isEqualTo(404);
        assertThat(service.get(path).problem()).isEqualTo("not-found");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"policies\": {}};/policies",
                "{\"policies\": [], \"extra\": 1};/extra",
                "{\"policies\": [{\"plugin\": \"fixed\", \"params\": {}}]};/policies/0/params",
                "{\"policies\": [], \"whenExhausted\": {\"mode\": \"queue\", \"timeoutMs\": \"long\"}};/whenExhausted/timeoutMs",
            })
    void aBodyOfAnotherShapeCannotBeRead(String body, String pointer) {
        service.domain("shape", "[]");
        Service.Answer answer = service.put("/domains/shape/policies", body, "If-Match", "\"1\"");
        service.delete("/domains/shape").expect(204);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.fault(pointer)).isNotNull();
    }

    /** The governor stands still: a set that it is given then, and that is given up, must not come into force later. */
    @Test
    void aSetThatTheEngineDidNotTakeInTimeIsNeverInForce() throws Exception {
        service.post("/databases", service.databaseBody("late", 5)).expect(201);
        service.post("/domains", domainOn("late", "late-a", fixed(1, 2))).expect(201);
        CountDownLatch goesOn = standsStill("late-a");

        Service.Answer late =
                service.put("/domains/late-a/policies", "{\"policies\": " + fixed(1, 3) + "}", "If-Match", "\"1\"");
        goesOn.countDown();
        service.put(
                        "/domains/late-a/policies",
                        "{\"policies\": [" + use(1, 4) + ", {\"plugin\": \"shy\"}]}",
                        "If-Match",
                        "\"1\"")
                .expect(200);

        assertThat(late.expect(503).json().get("detail").asString())
                .isEqualTo("The engine did not take the policy set within 5 s; nothing was changed.");
        List<String> told = new ArrayList<>();
        await().atMost(Service.PATIENCE).untilAsserted(() -> {
            told.clear();
            service.get("/domains/late-a/decisions").json().get("items").forEach(decision -> {
                String message = decision.get("message").asString();
                if (message.startsWith("late-a is at revision 2")) {
                    told.add(message);
                }
            });
            assertThat(told).contains("late-a is at revision 2: fixed, shy.");
        });
        assertThat(told).hasSize(1);
        service.delete("/domains/late-a").expect(204);
        service.delete("/databases/late").expect(204);
    }

    /** The set in force is put once more while the engine has yet to take another: whether it is still in force is not known. */
    @Test
    void aSetIsNotCalledUnchangedWhileAnotherIsQueued() throws Exception {
        service.post("/databases", service.databaseBody("queued", 5)).expect(201);
        service.post("/domains", domainOn("queued", "queued-a", fixed(1, 2))).expect(201);
        CountDownLatch goesOn = standsStill("queued-a");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Service.Answer> other = threads.submit(() -> putBasedOnTheFirst("queued-a", fixed(1, 3)));
            await().atMost(Service.PATIENCE).until(() -> count("""
                    select count(*) from pg_locks join pg_stat_activity using (pid)
                    where relation = 'policy_revision'::regclass and mode = 'RowExclusiveLock'
                      and state = 'idle in transaction'""") == 1);
            Future<Service.Answer> same = threads.submit(() -> putBasedOnTheFirst("queued-a", fixed(1, 2)));
            await().atMost(Service.PATIENCE).until(() -> count("""
                    select count(*) from pg_stat_activity
                    where wait_event_type = 'Lock' and query like '%policy_head%for update%'""") == 1);
            assertThat(same.isDone()).isFalse();
            goesOn.countDown();
            assertThat(other.get().expect(200).header("ETag")).isEqualTo("\"2\"");
            assertThat(same.get().status()).isEqualTo(412);
        } finally {
            goesOn.countDown();
        }
        service.delete("/domains/queued-a").expect(204);
        service.delete("/databases/queued").expect(204);
    }

    /** Else a plugin that takes its time keeps all other changes of its database waiting. */
    @Test
    void aSetIsCheckedBeforeItsDatabaseIsLocked() {
        service.domain("unlocked", "[]");
        service.bean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            service.bean(PolicyStore.class).lock("main");
            Service.Answer refused = putBasedOnTheFirst("unlocked", "[{\"plugin\": \"stuck\"}]");
            assertThat(refused.status()).as(refused.text()).isEqualTo(422);
        });
        service.delete("/domains/unlocked").expect(204);
    }

    @Test
    void theSetOfANewDomainIsCheckedBeforeItsDatabaseIsLocked() {
        service.bean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            service.bean(PolicyStore.class).lock("main");
            Service.Answer refused =
                    service.post("/domains", domainOn("main", "unlocked-new", "[{\"plugin\": \"stuck\"}]"));
            assertThat(refused.status()).as(refused.text()).isEqualTo(422);
            assertThat(refused.fault("/policySet/policies/0")).isEqualTo("stuck does not answer within 1000 ms");
        });
    }

    /** A sibling takes what the set of a new domain would guarantee, after that was checked and before it is kept. */
    @Test
    void theSetOfANewDomainIsCheckedAgainIfWhatItWasCheckedAgainstHasChanged() throws Exception {
        service.post("/databases", service.databaseBody("anew", 5)).expect(201);
        service.post("/domains", domainOn("anew", "anew-a", "[]")).expect(201);
        String guaranteed = "[{\"plugin\": \"fixed\", \"parameters\": {\"max\": 4, \"guaranteed\": 4}}]";
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Service.Answer> post = service.bean(TransactionTemplate.class)
                    .execute(transaction -> {
                        service.bean(PolicyStore.class).lock("anew");
                        Future<Service.Answer> waiting =
                                threads.submit(() -> service.post("/domains", domainOn("anew", "anew-b", guaranteed)));
                        await().atMost(Service.PATIENCE).until(() -> count("""
                        select count(*) from pg_stat_activity
                        where wait_event_type = 'Lock' and query like '%policy_head%for update%'""") == 1);
                        service.bean(JdbcClient.class)
                                .sql("update policy_head set guaranteed = 3 where name = 'anew-a'")
                                .update();
                        return waiting;
                    });
            Service.Answer refused = post.get();
            assertThat(refused.status()).as(refused.text()).isEqualTo(422);
            assertThat(refused.text()).contains("guarantee");
        }
        service.get("/domains/anew-b").expect(404);
        service.delete("/domains/anew-a").expect(204);
        service.delete("/databases/anew").expect(204);
    }

    /** A sibling takes what the set would guarantee, after the set was checked and before it is kept. */
    @Test
    void aSetIsCheckedAgainIfWhatItWasCheckedAgainstHasChanged() throws Exception {
        service.post("/databases", service.databaseBody("again", 5)).expect(201);
        service.post("/domains", domainOn("again", "again-a", "[]")).expect(201);
        service.post("/domains", domainOn("again", "again-b", "[]")).expect(201);
        String guaranteed = "[{\"plugin\": \"fixed\", \"parameters\": {\"max\": 4, \"guaranteed\": 4}}]";
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Service.Answer> put = service.bean(TransactionTemplate.class).execute(transaction -> {
                service.bean(PolicyStore.class).lock("again");
                Future<Service.Answer> waiting = threads.submit(() -> putBasedOnTheFirst("again-a", guaranteed));
                await().atMost(Service.PATIENCE).until(() -> count("""
                        select count(*) from pg_stat_activity
                        where wait_event_type = 'Lock' and query like '%policy_head%for update%'""") == 1);
                service.bean(JdbcClient.class)
                        .sql("update policy_head set guaranteed = 3 where name = 'again-b'")
                        .update();
                return waiting;
            });
            Service.Answer refused = put.get();
            assertThat(refused.status()).as(refused.text()).isEqualTo(422);
            assertThat(refused.text()).contains("guarantee");
        }
        service.bean(JdbcClient.class)
                .sql("update policy_head set guaranteed = 0 where name = 'again-b'")
                .update();
        assertThat(putBasedOnTheFirst("again-a", guaranteed).expect(200).header("ETag"))
                .isEqualTo("\"2\"");
        service.delete("/domains/again-a").expect(204);
        service.delete("/domains/again-b").expect(204);
        service.delete("/databases/again").expect(204);
    }

    private static Service.Answer putBasedOnTheFirst(String domain, String policies) {
        return service.put("/domains/" + domain + "/policies", "{\"policies\": " + policies + "}", "If-Match", "\"1\"");
    }

    private static long count(String query) {
        return service.bean(JdbcClient.class).sql(query).query(Long.class).single();
    }

    /** The governor of a domain's database stands still. @return counted down, it goes on */
    private static CountDownLatch standsStill(String domain) throws Exception {
        Pool pool = service.bean(Engine.class).pool(domain).orElseThrow();
        CountDownLatch stands = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        pool.swap(new PolicySet(1, List.of(), WhenExhausted.unbounded(), () -> {
                    stands.countDown();
                    try {
                        goesOn.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }))
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES);
        pool.swap(new PolicySet(1, List.of(), WhenExhausted.unbounded(), () -> {}));
        assertThat(stands.await(1, TimeUnit.MINUTES)).isTrue();
        return goesOn;
    }

    /** The engine has taken it and the store cannot keep it: the former set comes back, and the number is spent. */
    @Test
    void aRevisionThatTheEngineHasSeenIsNotGivenToAnotherSet() {
        JdbcClient store = service.bean(JdbcClient.class);
        store.sql("""
                create function refuse_commit() returns trigger language plpgsql as
                $$ begin raise exception 'not today'; end $$""").update();
        store.sql("""
                create constraint trigger refuse_commit after insert on policy_revision
                deferrable initially deferred for each row
                when (new.comment = 'not to be kept') execute function refuse_commit()""").update();
        service.domain("spent", fixed(1, 5));
        try {
            Service.Answer lost = service.put(
                    "/domains/spent/policies",
                    "{\"policies\": " + fixed(1, 6) + ", \"comment\": \"not to be kept\"}",
                    "If-Match",
                    "\"1\"");
            assertThat(lost.status()).isGreaterThanOrEqualTo(400);
            JsonNode pool = service.get("/domains/spent/pool").json();
            assertThat(pool.get("revision").asInt()).isEqualTo(1);
            assertThat(pool.get("ceiling").asInt()).isEqualTo(5);

            Service.Answer next =
                    service.put("/domains/spent/policies", "{\"policies\": " + fixed(1, 7) + "}", "If-Match", "\"1\"");
            assertThat(next.expect(200).header("ETag")).isEqualTo("\"3\"");
        } finally {
            store.sql("drop function refuse_commit() cascade").update();
            service.delete("/domains/spent").expect(204);
        }
    }

    private static String fixed(int min, int max) {
        return "[" + use(min, max) + "]";
    }

    private static String use(int min, int max) {
        return "{\"plugin\": \"fixed\", \"parameters\": {\"min\": %d, \"max\": %d}}".formatted(min, max);
    }

    private static String guaranteed(int connections) {
        return "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 0, \"max\": 20, \"guaranteed\": %d}}]"
                .formatted(connections);
    }

    private static String domainOn(String database, String name, String policies) {
        return "{\"name\": \"%s\", \"database\": \"%s\", \"policySet\": {\"policies\": %s}}"
                .formatted(name, database, policies);
    }

    @Test
    void theOldestRevisionsAreDeletedButForThoseThatAGuardNeeds(@TempDir Path data) throws IOException {
        try (Service few = Service.start(data, "--headgate.policies.revisions=2")) {
            few.post("/databases", few.databaseBody("main", 10)).expect(201);
            few.domain("short", "[]");
            for (int revision = 1; revision <= 4; revision++) {
                putMax(few, revision, "").expect(200);
            }
            assertThat(revisions(few)).containsExactly(5L, 4L, 0L);

            putMax(few, 5, "?guard=waitP99Ms:50,within:60m").expect(200);
            PolicyStore sets = few.bean(PolicyStore.class);
            PolicySetRevision sixth = sets.revision(Scope.domain("short"), 6).orElseThrow();
            sets.add(
                    Scope.domain("short"),
                    new PolicySetRevision(7, sixth.createdAt(), sixth.actor(), null, null, null, sixth.policySet()),
                    0);
            assertThat(revisions(few)).as("the guard may restore the fifth").containsExactly(7L, 6L, 5L, 0L);
        }
    }

    private static Service.Answer putMax(Service on, int revision, String query) {
        return on.put(
                "/domains/short/policies" + query,
                "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"max\": " + revision + "}}]}",
                "If-Match",
                "\"" + revision + "\"");
    }

    private static List<Long> revisions(Service on) {
        List<Long> found = new ArrayList<>();
        on.get("/domains/short/policies/revisions")
                .expect(200)
                .json()
                .get("items")
                .forEach(each -> found.add(each.get("revision").asLong()));
        return found;
    }
}
