package dev.headgate.server.domains;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.server.Service;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class DomainContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @Test
    void aDomainIsMadeReadDescribedAndDeleted() {
        Service.Answer made = service.post(
                        "/domains", "{\"name\": \"shop\", \"database\": \"main\", \"description\": \"A shop\"}")
                .expect(201);
        assertThat(made.header("Location")).isEqualTo("/api/v1/domains/shop");
        assertThat(made.json().get("revision").asInt()).isZero();
        assertThat(made.json().get("tier").isNull()).isTrue();
        assertThat(made.json().get("pool").get("budget").asInt()).isEqualTo(40);

        assertThat(service.patch("/domains/shop", "{\"description\": \"Another\"}")
                        .expect(200)
                        .json()
                        .get("description")
                        .asString())
                .isEqualTo("Another");
        assertThat(service.get("/domains").text()).contains("\"name\":\"shop\"");
        assertThat(service.get("/databases/main").json().get("domains").toString())
                .contains("\"shop\"");
        service.delete("/domains/shop").expect(204);
        assertThat(service.get("/domains/shop").problem()).isEqualTo("not-found");
        assertThat(service.bean(Engine.class).pool("shop")).isEmpty();
    }

    @Test
    void itsWireSettingsAreChangedOneByOne() {
        service.domain("wired", "[]");
        assertThat(service.get("/domains/wired").json().get("wire").toString())
                .isEqualTo(
                        "{\"mode\":\"transaction\",\"maxClients\":1000,\"sessionState\":\"pin\",\"unnamedStatements\":\"auto\"}");

        service.patch("/domains/wired", "{\"wire\": {\"mode\": \"session\"}}").expect(200);
        JsonNode changed = service.patch("/domains/wired", "{\"wire\": {\"maxClients\": 20}}")
                .expect(200)
                .json();
        assertThat(changed.get("wire").toString())
                .isEqualTo(
                        "{\"mode\":\"session\",\"maxClients\":20,\"sessionState\":\"pin\",\"unnamedStatements\":\"auto\"}");
        changed = service.patch("/domains/wired", "{\"wire\": {\"sessionState\": \"refuse\"}}")
                .expect(200)
                .json();
        assertThat(changed.get("wire").toString())
                .isEqualTo(
                        "{\"mode\":\"session\",\"maxClients\":20,\"sessionState\":\"refuse\",\"unnamedStatements\":\"auto\"}");

        changed = service.patch("/domains/wired", "{\"wire\": {\"unnamedStatements\": \"off\"}}")
                .expect(200)
                .json();
        assertThat(changed.get("wire").toString())
                .isEqualTo(
                        "{\"mode\":\"session\",\"maxClients\":20,\"sessionState\":\"refuse\",\"unnamedStatements\":\"off\"}");

        service.patch("/domains/wired", "{\"description\": \"Wired\"}").expect(200);
        assertThat(service.get("/domains/wired").json().get("wire")).isEqualTo(changed.get("wire"));
        JsonNode entry = service.get("/audit?limit=2").json().get("items").get(1);
        assertThat(entry.get("action").asString()).isEqualTo("domains.change");
        assertThat(entry.get("before").get("wire").get("unnamedStatements").asString())
                .isEqualTo("auto");
        assertThat(entry.get("after").get("wire")).isEqualTo(changed.get("wire"));
        service.delete("/domains/wired").expect(204);
    }

    @Test
    void itIsMadeWithTheWireSettingsThatAreAskedFor() {
        String body = "{\"name\": \"prewired\", \"database\": \"main\", \"wire\": {\"mode\": \"%s\"}}";
        assertThat(service.post("/domains", body.formatted("pooled")).fault("/wire/mode"))
                .isEqualTo("must be a mode, was pooled | transaction, session, statement");
        assertThat(service.get("/domains/prewired").status()).isEqualTo(404);
        JsonNode made = service.post("/domains", body.formatted("statement"))
                .expect(201)
                .json();
        assertThat(made.get("wire").toString())
                .isEqualTo(
                        "{\"mode\":\"statement\",\"maxClients\":1000,\"sessionState\":\"pin\",\"unnamedStatements\":\"auto\"}");
        service.delete("/domains/prewired").expect(204);
    }

    @Test
    void wireSettingsThatAreNoneAreRefusedWhereTheyStand() {
        service.domain("miswired", "[]");
        Service.Answer answer = service.patch(
                "/domains/miswired",
                "{\"description\": \"never kept\", \"wire\": {\"mode\": \"pooled\", \"maxClients\": 0, \"sessionState\": \"keep\", \"unnamedStatements\": \"on\"}}");
        assertThat(answer.problem()).isEqualTo("invalid-request");
        assertThat(answer.fault("/wire/mode"))
                .isEqualTo("must be a mode, was pooled | transaction, session, statement");
        assertThat(answer.fault("/wire/maxClients")).isEqualTo("must be a number of clients, was 0 | 1..100000");
        assertThat(answer.fault("/wire/sessionState"))
                .isEqualTo("must be what becomes of session state, was keep | pin, refuse");
        assertThat(answer.fault("/wire/unnamedStatements"))
                .isEqualTo("must be what becomes of statements without a name, was on | auto, off");
        assertThat(service.patch("/domains/miswired", "{\"wire\": {\"port\": 1}}")
                        .fault("/wire/port"))
                .contains("maxClients, mode, sessionState, unnamedStatements");
        assertThat(service.get("/domains/miswired").json().get("description").asString())
                .isEmpty();
        service.delete("/domains/miswired").expect(204);
    }

    @Test
    void aNameIsTakenOnceOverAllDatabases() {
        service.post("/databases", service.databaseBody("elsewhere", 5)).expect(201);
        service.domain("unique", "[]");
        Service.Answer answer = service.post("/domains", "{\"name\": \"unique\", \"database\": \"elsewhere\"}");
        assertThat(answer.status()).isEqualTo(409);
        service.delete("/domains/unique").expect(204);
        service.delete("/databases/elsewhere").expect(204);
    }

    @Test
    void anUnknownDatabaseOrABadSetMakesNoDomain() {
        Service.Answer nowhere = service.post("/domains", "{\"name\": \"lost\", \"database\": \"nowhere\"}");
        assertThat(nowhere.status()).isEqualTo(422);
        assertThat(nowhere.fault("/database"))
                .startsWith("there is no database 'nowhere' | ")
                .contains("main");
        Service.Answer bad = service.post(
                "/domains",
                "{\"name\": \"lost\", \"database\": \"main\", \"policySet\": {\"policies\": [{\"plugin\": \"nope\"}]}}");
        assertThat(bad.problem()).isEqualTo("invalid-policy-set");
        assertThat(bad.fault("/policySet/policies/0/plugin")).contains("'nope' is not installed");
        assertThat(service.get("/domains/lost").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "Bank", "a b", "ä", "1st"})
    void aNameThatIsNoneIsRefused(String name) {
        Service.Answer answer = service.post("/domains", "{\"name\": \"%s\", \"database\": \"main\"}".formatted(name));
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/name")).contains("must be a name");
    }

    @Test
    void noDomainTakesTheConsolesName() {
        Service.Answer answer = service.post("/domains", "{\"name\": \"headgate\", \"database\": \"main\"}");
        assertThat(answer.problem()).isEqualTo("invalid-request");
        assertThat(answer.fault("/name")).isEqualTo("cannot be 'headgate': that is the wire port's console");
    }

    @Test
    void connectionsAreListedWithTheirLease() throws Exception {
        service.domain("leased", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 0, \"max\": 3}}]");
        try (Lease lease =
                service.bean(Engine.class).pool("leased").orElseThrow().acquire(LeaseRequest.by("a test"))) {
            lease.connection().createStatement().execute("select 1");
            JsonNode items = service.get("/domains/leased/connections")
                    .expect(200)
                    .json()
                    .get("items");
            assertThat(items.size()).isEqualTo(1);
            assertThat(items.get(0).get("id").asString()).isEqualTo(lease.connectionId());
            assertThat(items.get(0).get("lease").get("holder").asString()).isEqualTo("a test");
            assertThat(items.get(0).get("requests").asInt()).isPositive();
            JsonNode pool = service.get("/domains/leased/pool").expect(200).json();
            assertThat(pool.get("inUse").asInt()).isEqualTo(1);
        }
        service.delete("/domains/leased").expect(204);
    }

    @Test
    void aPoolIsPausedResumedFlushedAndDrained() {
        service.domain("acted", "[]");
        assertThat(state("pause")).isEqualTo("paused");
        assertThat(state("resume")).isEqualTo("open");
        assertThat(state("flush")).isEqualTo("open");
        assertThat(state("drain")).isEqualTo("draining");
        assertThat(state("resume")).isEqualTo("open");
        assertThat(service.post("/domains/nobody/pause", null).status()).isEqualTo(404);
        assertThat(service.get("/audit?limit=5").text()).contains("\"action\":\"domains.drain\"");
        service.delete("/domains/acted").expect(204);
    }

    private static String state(String action) {
        return service.post("/domains/acted/" + action, null)
                .expect(200)
                .json()
                .get("state")
                .asString();
    }
}
