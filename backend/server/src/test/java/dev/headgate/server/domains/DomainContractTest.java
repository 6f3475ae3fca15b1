package dev.headgate.server.domains;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.server.Service;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
    void itsLabelsAreReplacedAsAWhole() {
        JsonNode made = service.post("/domains", """
                        {"name": "labelled", "database": "main", "labels": {"team": "payments", "cost.center": "0-1 2"}}
                        """).expect(201).json();
        assertThat(made.get("labels").toString()).isEqualTo("{\"cost.center\":\"0-1 2\",\"team\":\"payments\"}");
        String before = service.get("/domains/labelled").header("ETag");

        service.patch("/domains/labelled", "{\"description\": \"kept\", \"labels\": null}")
                .expect(200);
        Service.Answer kept = service.get("/domains/labelled").expect(200);
        assertThat(kept.json().get("labels")).isEqualTo(made.get("labels"));

        Service.Answer changed = service.patch("/domains/labelled", "{\"labels\": {\"zone\": \"Zürich\"}}")
                .expect(200);
        assertThat(changed.json().get("labels").toString()).isEqualTo("{\"zone\":\"Zürich\"}");
        assertThat(changed.json().get("description").asString()).isEqualTo("kept");
        assertThat(changed.header("ETag")).isNotIn(before, kept.header("ETag"));
        JsonNode entry = service.get("/audit?limit=1").json().at("/items/0");
        assertThat(entry.get("action").asString()).isEqualTo("domains.change");
        assertThat(entry.at("/before/labels")).isEqualTo(made.get("labels"));
        assertThat(entry.at("/after/labels").toString()).isEqualTo("{\"zone\":\"Zürich\"}");

        assertThat(service.patch("/domains/labelled", "{\"labels\": {}}")
                        .expect(200)
                        .json()
                        .get("labels")
                        .toString())
                .isEqualTo("{}");
        service.delete("/domains/labelled").expect(204);
    }

    @Test
    void labelsThatAreNoneAreRefusedWhereTheyStandAndChangeNothing() {
        service.post("/domains", "{\"name\": \"mislabelled\", \"database\": \"main\", \"labels\": {\"a\": \"b\"}}")
                .expect(201);
        String name =
                " | 1 to 63 characters of a-z, 0-9, '-', '_' and '.', beginning and ending with a letter or a digit";
        String value = " | 1 to 63 characters, no control characters, no blank at the beginning or the end";
        Service.Answer answer = service.patch("/domains/mislabelled", """
                {"description": "never kept",
                 "labels": {"Team": "x", "a[b": "x", "x/y~z": "x", "team": " x", "zone": "", "none": null, "fine": "x"}}
                """);
        assertThat(answer.problem()).isEqualTo("invalid-request");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/labels/Team")).isEqualTo("must be a label's name, was Team" + name);
        assertThat(answer.fault("/labels/a[b")).isEqualTo("must be a label's name, was a[b" + name);
        assertThat(answer.fault("/labels/x~1y~0z")).isEqualTo("must be a label's name, was x/y~z" + name);
        assertThat(answer.fault("/labels/team")).isEqualTo("must be a label's value, was  x" + value);
        assertThat(answer.fault("/labels/zone")).isEqualTo("must be a label's value, was " + value);
        assertThat(answer.fault("/labels/none")).isEqualTo("is missing" + value);
        assertThat(answer.json().get("errors").size()).isEqualTo(6);

        String many =
                IntStream.range(0, 17).mapToObj(n -> "\"l" + n + "\": \"x\"").collect(Collectors.joining(", "));
        String body = "{\"name\": \"overlabelled\", \"database\": \"main\", \"labels\": {" + many + "}}";
        assertThat(service.post("/domains", body).fault("/labels"))
                .isEqualTo("must be at most 16 labels, was 17 | 0..16");
        assertThat(service.get("/domains/overlabelled").status()).isEqualTo(404);
        service.post("/domains", body.replace("\"l0\": \"x\", ", "")).expect(201);
        service.delete("/domains/overlabelled").expect(204);

        Service.Answer typed = service.patch("/domains/mislabelled", "{\"labels\": {\"team\": 7}}");
        assertThat(typed.status()).isEqualTo(400);
        assertThat(typed.fault("/labels/team")).contains("| a string");
        JsonNode kept = service.get("/domains/mislabelled").json();
        assertThat(kept.get("labels").toString()).isEqualTo("{\"a\":\"b\"}");
        assertThat(kept.get("description").asString()).isEmpty();
        service.delete("/domains/mislabelled").expect(204);
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
