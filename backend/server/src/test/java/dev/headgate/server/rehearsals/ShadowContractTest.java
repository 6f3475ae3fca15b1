package dev.headgate.server.rehearsals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.server.Service;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

class ShadowContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    /** Else a plugin that takes its time keeps a row of the store. Its policy is made to try it, and then once more. */
    @Test
    void aShadowSetIsMadeBeforeAnythingIsLocked() {
        service.domain("unshaded", "[]");
        service.put("/domains/unshaded/policies/shadow", "{\"policies\": []}").expect(200);
        service.bean(TransactionTemplate.class).executeWithoutResult(transaction -> {
            service.bean(JdbcClient.class)
                    .sql("update policy_shadow set actor = 'other' where name = 'unshaded'")
                    .update();
            Service.Answer refused = service.put(
                    "/domains/unshaded/policies/shadow",
                    "{\"policies\": [{\"plugin\": \"shy\", \"parameters\": {\"most\": 1}}]}");
            assertThat(refused.status()).as(refused.text()).isEqualTo(503);
            assertThat(refused.text()).contains("has made enough");
        });
        service.delete("/domains/unshaded").expect(204);
    }

    @Test
    void aShadowSetIsAskedAndDecidesNothing() {
        service.domain("shaded", fixed(1, 5));
        assertThat(service.get("/domains/shaded/policies/shadow").status()).isEqualTo(404);

        JsonNode put = service.put("/domains/shaded/policies/shadow", "{\"policies\": " + fixed(2, 3) + "}")
                .expect(200)
                .json();

        assertThat(put.get("actor").asString()).isEqualTo("admin");
        assertThat(put.get("shadow").get("ceiling").asInt()).isEqualTo(3);
        assertThat(put.get("live").get("ceiling").asInt()).isEqualTo(5);
        assertThat(put.get("differed").asLong())
                .isPositive()
                .isEqualTo(put.get("steps").asLong());
        assertThat(service.get("/domains/shaded/pool")
                        .expect(200)
                        .json()
                        .get("ceiling")
                        .asInt())
                .isEqualTo(5);
        assertThat(service.get("/domains/shaded/policies").header("ETag")).isEqualTo("\"1\"");
        JsonNode decisions = await().atMost(Service.PATIENCE)
                .until(
                        () -> service.get("/domains/shaded/decisions?kind=shadow")
                                .expect(200)
                                .json()
                                .get("items"),
                        items -> !items.isEmpty());
        assertThat(decisions.get(0).get("message").asString()).contains("hold 2 to 3 instead of 1 to 5");
        assertThat(decisions.get(0).get("combined").get("ceiling").asInt()).isEqualTo(3);

        service.delete("/domains/shaded/policies/shadow").expect(204);
        assertThat(service.get("/domains/shaded/policies/shadow").status()).isEqualTo(404);
        assertThat(service.delete("/domains/shaded/policies/shadow").status()).isEqualTo(404);
        JsonNode audit = service.get("/audit?limit=2").expect(200).json().get("items");
        assertThat(audit.toString()).contains("policies.shadow", "policies.unshadow");
        service.delete("/domains/shaded").expect(204);
    }

    /** A page asks without knowing whether there is one; no shadow set is no error then. */
    @Test
    void whoAsksWhetherThereIsAShadowSetGetsNothingInsteadOfAFault() {
        service.domain("lit", fixed(1, 5));
        assertThat(service.get("/domains/lit/policies/shadow?optional=true")
                        .expect(204)
                        .text())
                .isEmpty();
        service.put("/domains/lit/policies/shadow", "{\"policies\": " + fixed(2, 3) + "}")
                .expect(200);
        assertThat(service.get("/domains/lit/policies/shadow?optional=true")
                        .expect(200)
                        .json()
                        .get("actor")
                        .asString())
                .isEqualTo("admin");
        service.get("/domains/nobody/policies/shadow?optional=true").expect(404);
        service.get("/domains/lit/policies/shadow?optional=maybe").expect(400);
        service.delete("/domains/lit").expect(204);
    }

    @Test
    void theEngineAsksTheShadowSetThatIsStored() {
        service.domain("dim", fixed(1, 5));
        Pool pool = service.bean(Engine.class).pool("dim").orElseThrow();
        try (Service.Refusal _ = service.refuseToCommit("policies.shadow")) {
            assertThat(service.put("/domains/dim/policies/shadow", "{\"policies\": " + fixed(2, 3) + "}")
                            .status())
                    .isGreaterThanOrEqualTo(400);
        }
        assertThat(pool.shadowStatus()).isEmpty();
        service.put("/domains/dim/policies/shadow", "{\"policies\": " + fixed(2, 3) + "}")
                .expect(200);
        try (Service.Refusal _ = service.refuseToCommit("policies.unshadow")) {
            assertThat(service.delete("/domains/dim/policies/shadow").status()).isGreaterThanOrEqualTo(400);
        }
        assertThat(pool.shadowStatus()).isPresent();
        service.delete("/domains/dim").expect(204);
    }

    @Test
    void aFaultyShadowSetIsRefusedWithEveryFault() {
        service.domain("unshaded", fixed(1, 5));
        Service.Answer answer = service.put(
                "/domains/unshaded/policies/shadow",
                "{\"policies\": [{\"plugin\": \"none\"}, {\"plugin\": \"fixed\"}]}");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/policies/0/plugin")).contains("'none' is not installed");
        assertThat(answer.fault("/policies/1/parameters/max")).isNotNull();
        assertThat(service.get("/domains/unshaded/policies/shadow").status()).isEqualTo(404);
        service.delete("/domains/unshaded").expect(204);
    }

    @Test
    void aReplayTellsWhatACandidateWouldHaveDone() throws SQLException {
        service.domain("replayed", fixed(1, 5));
        Pool pool = service.bean(Engine.class).pool("replayed").orElseThrow();
        for (int i = 0; i < 60; i++) {
            try (Lease lease = pool.acquire(LeaseRequest.by("test"));
                    Statement statement = lease.connection().createStatement()) {
                statement.execute("select pg_sleep(0.005)");
            }
        }
        JsonNode result = service.post(
                        "/domains/replayed/policies/replay",
                        "{\"seconds\": 10, \"policySet\": {\"policies\": " + fixed(1, 1) + "}}")
                .expect(200)
                .json();
        JsonNode outcome = result.get("domains").get(0);
        assertThat(outcome.get("domain").asString()).isEqualTo("replayed");
        assertThat(result.get("seconds").asInt()).isEqualTo(40);
        assertThat(result.get("settlingSeconds").asInt()).isEqualTo(30);
        assertThat(outcome.get("second")).hasSize(40);
        assertThat(outcome.get("actual").get("arrivals").asLong()).isEqualTo(60);
        assertThat(outcome.get("actual").get("meanMs").asDouble()).isGreaterThan(5);
        assertThat(outcome.get("replayed").get("mostSize").asInt()).isEqualTo(1);
        assertThat(outcome.get("replayed").get("refused").asLong()).isZero();
        assertThat(outcome.get("baseline").get("arrivals").asLong()).isEqualTo(60);
        assertThat(outcome.get("fit").get("misses")).as(outcome.toString()).hasSize(8);
        assertThat(outcome.get("fit").get("sentence").asString()).startsWith("The model ");
        assertThat(outcome.get("ceiling").toString()).isEqualTo("{\"least\":1,\"most\":1,\"last\":1}");

        JsonNode plan = service.post("/domains/replayed/policies/plan", "{\"policies\": " + fixed(1, 2) + "}")
                .expect(200)
                .json();
        assertThat(plan.get("predicted")
                        .get("domains")
                        .get(0)
                        .get("replayed")
                        .get("arrivals")
                        .asLong())
                .isEqualTo(60);
        assertThat(service.post("/domains/replayed/policies/plan?predict=false", "{\"policies\": " + fixed(1, 2) + "}")
                        .expect(200)
                        .json()
                        .get("predicted")
                        .isNull())
                .isTrue();

        Service.Answer tooLong = service.post("/domains/replayed/policies/replay", "{\"seconds\": 6000}");
        assertThat(tooLong.status()).isEqualTo(422);
        assertThat(tooLong.fault("/seconds")).isEqualTo("must be 5 to 600, was 6000 | 5..600");
        service.delete("/domains/replayed").expect(204);
    }

    private static String fixed(int min, int max) {
        return "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": %d, \"max\": %d}}]".formatted(min, max);
    }
}
