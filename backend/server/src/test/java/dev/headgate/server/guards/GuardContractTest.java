package dev.headgate.server.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.nio.file.Path;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Changes on probation, over HTTP and with real load. */
@Timeout(120)
class GuardContractTest {

    @TempDir
    Path data;

    @Test
    void aSetThatRefusesTooMuchGivesWayToTheFormerOne() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            try (Load load = new Load(service.bean(Engine.class).pool("bank").orElseThrow())) {
                Answer put = service.put(
                                "/domains/bank/policies?guard=refusedRate:0.05,within:60s",
                                "{\"policies\": " + fixed(1) + ", \"whenExhausted\": {\"mode\": \"fail\"}}",
                                "If-Match",
                                "\"1\"")
                        .expect(200);
                JsonNode guard = put.json().get("guard");
                assertThat(guard.get("restores").asInt()).isEqualTo(1);
                assertThat(guard.get("bounds").toString()).isEqualTo("{\"refusedRate\":0.05}");

                await().atMost(Service.PATIENCE)
                        .until(() -> !service.get("/domains/bank/policies")
                                .header("ETag")
                                .equals("\"2\""));
                load.check();
            }
            JsonNode restored = service.get("/domains/bank/policies").json();
            assertThat(restored.get("revision").asInt()).isEqualTo(3);
            assertThat(restored.get("restoredFrom").asInt()).isEqualTo(1);
            assertThat(restored.get("actor").asString()).isEqualTo("guard");
            assertThat(restored.get("guard").isNull()).isTrue();
            assertThat(restored.get("comment").asString())
                    .matches("\\d+ of \\d+ requests for a connection were refused in the last \\d+\\.\\d s"
                            + " \\(\\d+\\.\\d%\\), above the bound of 5\\.0%\\.");
            assertThat(service.get("/domains/bank/pool").json().get("ceiling").asInt())
                    .isEqualTo(8);
            JsonNode entry = service.get("/audit?limit=1").json().get("items").get(0);
            assertThat(entry.get("action").asString()).isEqualTo("policies.guard");
            assertThat(entry.get("actor").asString()).isEqualTo("guard");
            assertThat(entry.at("/after/comment").asString())
                    .isEqualTo(restored.get("comment").asString());
        }
    }

    @Test
    void aSetUnderWhichHardlyAnythingEndsGivesWayToTheFormerOne() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            try (Load load = new Load(service.bean(Engine.class).pool("bank").orElseThrow(), 30)) {
                service.put(
                                "/domains/bank/policies?guard=waitP99Ms:50,within:60s",
                                "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"max\": 8, \"perSecond\": 0.5}}],"
                                        + " \"whenExhausted\": {\"mode\": \"queue\", \"timeoutMs\": 120000, \"depth\": 1000}}",
                                "If-Match",
                                "\"1\"")
                        .expect(200);
                await().atMost(Service.PATIENCE)
                        .until(() -> !service.get("/domains/bank/policies")
                                .header("ETag")
                                .equals("\"2\""));
                load.check();
            }
            JsonNode restored = service.get("/domains/bank/policies").json();
            assertThat(restored.get("restoredFrom").asInt()).isEqualTo(1);
            assertThat(restored.get("comment").asString())
                    .matches("The p99 of \\d+ waits in the last \\d+\\.\\d s was \\d+\\.\\d ms \\(\\d+ still wait\\),"
                            + " above the bound of 50 ms\\.");
        }
    }

    @Test
    void aGuardThatCouldNotJudgeSaysSoAndLeavesNothingBehind() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            service.put(
                            "/domains/bank/policies?guard=p99Ms:50,within:3s",
                            "{\"policies\": " + fixed(1) + "}",
                            "If-Match",
                            "\"1\"")
                    .expect(200);
            await().atMost(Service.PATIENCE)
                    .until(() -> service.get("/audit?limit=1")
                            .json()
                            .at("/items/0/action")
                            .asString()
                            .equals("policies.guard-unjudged"));
            JsonNode entry = service.get("/audit?limit=1").json().get("items").get(0);
            assertThat(entry.get("target").asString()).isEqualTo("domains/bank");
            assertThat(entry.get("actor").asString()).isEqualTo("guard");
            assertThat(entry.at("/after/revision").asInt()).isEqualTo(2);
            assertThat(entry.at("/after/reason").asString())
                    .isEqualTo("Not judged: p99Ms (0 requests ended); a judgement needs 20.");
            assertThat(service.get("/domains/bank/policies").header("ETag")).isEqualTo("\"2\"");
            assertThat(service.bean(GuardStore.class).all()).isEmpty();
            assertUnjudged(service, "Not judged: p99Ms (0 requests ended); a judgement needs 20.");
        }
    }

    /** That the revision 2 of bank tells it, the log of decisions, and the audit. */
    private static void assertUnjudged(Service service, String reason) {
        await().atMost(Service.PATIENCE)
                .untilAsserted(() -> assertThat(service.get("/domains/bank/decisions?kind=unjudged")
                                .json()
                                .at("/items/0/message")
                                .asString())
                        .isEqualTo("The probation of bank's revision 2 ended without a judgement. " + reason));
        JsonNode kept = service.get("/domains/bank/policies").json();
        assertThat(kept.get("revision").asInt()).isEqualTo(2);
        assertThat(kept.get("guard").isNull()).isTrue();
        assertThat(kept.get("unjudged").asString()).isEqualTo(reason);
        assertThat(service.get("/domains/bank/policies/revisions")
                        .json()
                        .at("/items/0/unjudged")
                        .asString())
                .isEqualTo(reason);
        JsonNode entry = service.get("/audit?action=policies.guard-unjudged")
                .json()
                .get("items")
                .get(0);
        assertThat(entry.at("/after/reason").asString()).isEqualTo(reason);
    }

    @Test
    void aGuardWhoseTimeEndsWhileTheServiceIsDownSaysSo() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            tryOut(service, "bank", "p99Ms:50,within:60m");
            service.bean(JdbcClient.class)
                    .sql("update policy_guard set until = now()")
                    .update();
        }
        try (Service again = Service.startAsItIs(data)) {
            await().atMost(Service.PATIENCE)
                    .until(() -> !again.get("/audit?action=policies.guard-unjudged")
                            .json()
                            .get("items")
                            .isEmpty());
            assertUnjudged(again, "Not judged to its end: the service was down when its time was over.");
            assertThat(again.bean(GuardStore.class).all()).isEmpty();
        }
    }

    @Test
    void byChoiceASetGivesWayIfItCouldNotBeJudgedAndStaysIfItWasGood() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            service.domain("shop", fixed(8));
            try (Load load = new Load(service.bean(Engine.class).pool("shop").orElseThrow())) {
                tryOut(service, "shop", "p99Ms:600000,within:5s,then:restore-unjudged");
                assertThat(guard(service, "shop").get("atEnd").asString()).isEqualTo("restore-unjudged");
                tryOut(service, "bank", "p99Ms:50,within:3s,then:restore-unjudged");
                await().atMost(Service.PATIENCE)
                        .until(() -> service.get("/domains/bank/policies")
                                .header("ETag")
                                .equals("\"3\""));
                await().atMost(Service.PATIENCE)
                        .until(() -> service.bean(GuardStore.class).all().isEmpty());
                load.check();
            }
            JsonNode restored = service.get("/domains/bank/policies").json();
            assertThat(restored.get("restoredFrom").asInt()).isEqualTo(1);
            assertThat(restored.get("actor").asString()).isEqualTo("guard");
            assertThat(restored.get("comment").asString())
                    .isEqualTo("Not judged: p99Ms (0 requests ended); a judgement needs 20.");
            JsonNode kept = service.get("/domains/shop/policies").json();
            assertThat(kept.get("revision").asInt()).isEqualTo(2);
            assertThat(kept.get("unjudged").isNull()).isTrue();
        }
    }

    /** Also one whose time ends while the service is down. */
    @Test
    void aTrialGivesWayToTheFormerSetWhenItsTimeIsOver() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            service.domain("shop", fixed(8));
            tryOut(service, "bank", "within:3s,then:restore");
            assertThat(guard(service, "bank").get("atEnd").asString()).isEqualTo("restore");
            awaitFormer(service, "bank");
            tryOut(service, "shop", "within:3s,then:restore,refusedRate:0.05");
        }
        try (Service again = Service.startAsItIs(data)) {
            awaitFormer(again, "shop");
        }
    }

    /** No domain is on it, so no window ends it. */
    @Test
    void aTrialOfADatabaseWithoutDomainsEndsToo() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            String first = service.put(
                            "/databases/main/policies",
                            "{\"policies\": " + fixed(8) + "}",
                            "If-Match",
                            service.get("/databases/main/policies").header("ETag"))
                    .expect(200)
                    .header("ETag");
            service.put(
                            "/databases/main/policies?guard=within:3s,then:restore",
                            "{\"policies\": " + fixed(1) + "}",
                            "If-Match",
                            first)
                    .expect(200);
            await().atMost(Service.PATIENCE)
                    .until(() -> service.get("/databases/main/policies")
                            .json()
                            .get("actor")
                            .asString()
                            .equals("guard"));
            assertThat(service.get("/databases/main/policies")
                            .json()
                            .at("/policySet/policies/0/parameters/max")
                            .asInt())
                    .isEqualTo(8);
        }
    }

    /** Something that listens fails by an Error, and the store cannot keep the former set at first. */
    @Test
    void aRestoreThatFailsIsTriedAgain() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            tryOut(service, "bank", "within:3s,then:restore");
            service.bean(ApplicationEventMulticaster.class).addApplicationListener(new FailsOnce());
            JdbcClient store = service.bean(JdbcClient.class);
            store.sql("create sequence refusals").update();
            store.sql("""
                    create function refuse() returns trigger language plpgsql as
                    $$ begin
                        if nextval('refusals') < 3 then raise exception 'not today'; end if;
                        return new;
                    end $$""").update();
            store.sql("""
                    create constraint trigger refuse after insert on policy_revision
                    deferrable initially deferred for each row execute function refuse()""").update();
            await().atMost(Service.PATIENCE)
                    .until(() -> service.get("/domains/bank/policies")
                            .json()
                            .get("actor")
                            .asString()
                            .equals("guard"));
            assertThat(service.get("/domains/bank/pool").json().get("ceiling").asInt())
                    .isEqualTo(8);
            assertThat(service.bean(GuardStore.class).all()).isEmpty();
        }
    }

    private static final class FailsOnce
            implements ApplicationListener<PayloadApplicationEvent<GuardFired>>, PriorityOrdered {

        private final AtomicBoolean failed = new AtomicBoolean();

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<GuardFired> event) {
            if (!failed.getAndSet(true)) {
                throw new StackOverflowError("of a test");
            }
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    @Test
    void aGuardEndsWithItsDomain() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            tryOut(service, "bank", "within:60m,then:restore");
            service.delete("/domains/bank").expect(204);
            service.domain("bank", fixed(8));
            service.put("/domains/bank/policies", "{\"policies\": " + fixed(2) + "}", "If-Match", "\"1\"")
                    .expect(200);
            assertThat(guard(service, "bank").isNull()).isTrue();
        }
    }

    private static void tryOut(Service service, String domain, String guard) throws Exception {
        service.put(
                        "/domains/" + domain + "/policies?guard=" + guard,
                        "{\"policies\": " + fixed(1) + "}",
                        "If-Match",
                        "\"1\"")
                .expect(200);
    }

    private static void awaitFormer(Service service, String domain) {
        await().atMost(Service.PATIENCE)
                .until(() -> service.get("/domains/" + domain + "/policies")
                        .header("ETag")
                        .equals("\"3\""));
        JsonNode restored = service.get("/domains/" + domain + "/policies").json();
        assertThat(restored.at("/policySet/policies/0/parameters/max").asInt()).isEqualTo(8);
        assertThat(restored.get("restoredFrom").asInt()).isEqualTo(1);
        assertThat(restored.get("actor").asString()).isEqualTo("guard");
        assertThat(restored.get("comment").asString()).isEqualTo("The trial of 3 s is over.");
    }

    @Test
    void aGuardOutlivesARestartAndEndsWithTheNextChange() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.domain("bank", fixed(8));
            service.domain("shop", fixed(8));
            for (String domain : new String[] {"bank", "shop"}) {
                service.put(
                                "/domains/" + domain + "/policies?guard=refusedRate:0.05,within:60m",
                                "{\"policies\": " + fixed(1) + ", \"whenExhausted\": {\"mode\": \"fail\"}}",
                                "If-Match",
                                "\"1\"")
                        .expect(200);
            }
            Answer wrong = service.put(
                    "/domains/bank/policies?guard=p99Ms:fast,within:60s",
                    "{\"policies\": " + fixed(1) + "}",
                    "If-Match",
                    "\"2\"");
            assertThat(wrong.status()).isEqualTo(400);
            assertThat(wrong.json().get("detail").asString()).startsWith("'guard' has 'fast' for p99Ms");
            assertThat(guard(service, "bank").isNull()).isFalse();

            service.put("/domains/shop/policies", "{\"policies\": " + fixed(2) + "}", "If-Match", "\"2\"")
                    .expect(200);
            assertThat(guard(service, "shop").isNull()).isTrue();
        }
        try (Service again = Service.startAsItIs(data)) {
            assertThat(guard(again, "bank").get("restores").asInt()).isEqualTo(1);
            assertThat(guard(again, "shop").isNull()).isTrue();
            try (Load load = new Load(again.bean(Engine.class).pool("bank").orElseThrow())) {
                await().atMost(Service.PATIENCE)
                        .until(() -> again.get("/domains/bank/policies")
                                .header("ETag")
                                .equals("\"3\""));
                load.check();
            }
            assertThat(again.get("/domains/bank/policies").json().get("actor").asString())
                    .isEqualTo("guard");
        }
    }

    private static JsonNode guard(Service service, String domain) {
        return service.get("/domains/" + domain + "/policies")
                .expect(200)
                .json()
                .get("guard");
    }

    private static String fixed(int max) {
        return "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 0, \"max\": %d}}]".formatted(max);
    }

    /** Callers that query for 5 ms at a time, and take it as it comes when they are refused. */
    private static final class Load implements AutoCloseable {

        private final AtomicBoolean running = new AtomicBoolean(true);
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final List<Future<?>> callers = new ArrayList<>();

        Load(Pool pool) {
            this(pool, 4);
        }

        Load(Pool pool, int count) {
            for (int i = 0; i < count; i++) {
                callers.add(threads.submit(() -> {
                    while (running.get()) {
                        try (Lease lease = pool.acquire(LeaseRequest.by("test"));
                                Statement statement = lease.connection().createStatement()) {
                            statement.execute("select pg_sleep(0.005)");
                        } catch (LeaseException refused) {
                            LockSupport.parkNanos(5_000_000);
                        }
                    }
                    return null;
                }));
            }
        }

        /** That it is still under way: no caller has ended with a failure. */
        void check() {
            assertThat(callers).noneMatch(Future::isDone);
        }

        @Override
        public void close() {
            running.set(false);
            threads.close();
        }
    }
}
