package dev.headgate.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Loads that users send, on the demo's domains. */
@Timeout(180)
class UserWorkloadTest {

    private static final String MINE = "/workloads/mine";
    private static final String BODY = """
            {"domain": "bank", "ratePerSecond": 200, "seed": 3, "variables": {"accounts": 100},
             "transactions": [
               {"name": "look", "weight": 3, "parameters": {"aid": "random_zipfian(1, :accounts, 1.1)"},
                "statements": ["SELECT abalance FROM bank.pgbench_accounts WHERE aid = :aid"]},
               {"name": "book.sql", "script": "\\\\set aid random(1, :accounts)\\nBEGIN;\\nUPDATE bank.pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;\\nEND;\\n"}]}""";

    @TempDir
    static Path data;

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        NamedFactory.writeTo(data.resolve("plugins"), "min-max", "latency-cap", "tiers");
        service = Service.start(data, "--headgate.demo=true");
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @AfterEach
    void remove() {
        service.delete(MINE);
    }

    private static Service.Answer put(String body) {
        return service.put(MINE, body);
    }

    @Test
    void runsOnItsDomainUntilItIsDeleted() {
        JsonNode made = put(BODY).expect(201).json();
        assertThat(made.get("kind").asString()).isEqualTo("user");
        assertThat(made.get("domain").asString()).isEqualTo("bank");
        assertThat(made.get("running").asBoolean()).isTrue();
        assertThat(made.get("ratePerSecond").asDouble()).isEqualTo(200);
        await().atMost(Service.PATIENCE)
                .until(() -> service.get(MINE).json().at("/total/count").asInt() > 100);
        JsonNode mine = service.get(MINE).json();
        assertThat(mine.get("errors").asInt()).as(mine.toString()).isZero();
        assertThat(mine.get("dropped").asInt()).isZero();
        assertThat(service.get("/workloads")
                        .json()
                        .get("items")
                        .valueStream()
                        .map(item -> item.get("name").asString()))
                .containsExactly("auction", "bank", "gallery", "mine");

        put(BODY.replace("200", "5")).expect(200);
        service.patch(MINE, "{\"running\": false}").expect(200);
        assertThat(service.get(MINE).json().get("running").asBoolean()).isFalse();
        service.delete(MINE).expect(204);
        service.get(MINE).expect(404);
        service.delete(MINE).expect(404);

        JsonNode entries = service.get("/audit?limit=4").json().get("items");
        assertThat(entries.valueStream().map(entry -> entry.get("action").asString()))
                .containsExactly("workloads.delete", "workloads.change", "workloads.put", "workloads.put");
        assertThat(entries.get(2).get("after").toString())
                .isEqualTo(
                        "{\"domain\":\"bank\",\"ratePerSecond\":5.0,\"varies\":false,\"transactions\":[\"look\",\"book.sql\"]}");
    }

    @Test
    void itsScriptIsInTheAccountOfMemoryUntilTheLoadIsDeleted() {
        long before = reservedForWork();
        String script = "SELECT 1; -- " + "x".repeat(50_000);
        String body =
                "{\"domain\": \"bank\", \"running\": false, \"transactions\": [{\"name\": \"long\", \"script\": \"%s\"}]}";
        put(body.formatted(script)).expect(201);
        long held = reservedForWork() - before;
        assertThat(held).isGreaterThan(8 * 50_000);
        put(body.formatted(script)).expect(200);
        assertThat(reservedForWork() - before).isEqualTo(held);
        put(body.formatted("SELECT :gone")).expect(422);
        assertThat(reservedForWork() - before).isEqualTo(held);
        service.delete(MINE).expect(204);
        assertThat(reservedForWork()).isEqualTo(before);
    }

    private static long reservedForWork() {
        return service.get("/memory")
                .json()
                .get("holders")
                .valueStream()
                .filter(line -> line.get("holder").asString().equals("work"))
                .mapToLong(line -> line.get("reservedBytes").asLong())
                .sum();
    }

    @Test
    void aStatementThatFailsIsCountedAndNamed() {
        put("{\"domain\": \"bank\", \"ratePerSecond\": 50, \"transactions\": [{\"name\": \"wrong\", \"statements\": [\"SELECT gone\"]}]}")
                .expect(201);
        await().atMost(Service.PATIENCE)
                .until(() -> service.get(MINE).json().get("errors").asInt() > 0);
        assertThat(service.get(MINE).json().get("lastError").asString())
                .startsWith("wrong: ")
                .contains("column \"gone\" does not exist");
    }

    @Test
    void everyFaultIsNamedWithItsPlace() {
        Service.Answer answer = put("""
                {"domain": "nowhere", "ratePerSecond": 9000, "transactions": [
                  {"name": "a", "script": "SELECT 1;\\n\\\\if true"},
                  {"name": "b", "parameters": {"n": "random(2, 1)"}, "statements": ["SELECT :n"]},
                  {"name": "c", "statements": ["SELECT 1", "SELECT :gone"]},
                  {"name": "d"}]}""").expect(422);
        assertThat(answer.problem()).isEqualTo("invalid-request");
        assertThat(answer.fault("/domain")).isEqualTo("there is no domain 'nowhere'");
        assertThat(answer.fault("/ratePerSecond")).endsWith("was 9000 | 0.1..5000");
        assertThat(answer.fault("/transactions/0/script"))
                .isEqualTo("in line 2: \\if is not supported; allowed are \\set and \\sleep");
        assertThat(answer.fault("/transactions/1/parameters"))
                .isEqualTo("n: random needs a range that is not empty, was given 2 to 1");
        assertThat(answer.fault("/transactions/2/statements/1"))
                .isEqualTo("the variable :gone is not set before it is used");
        assertThat(answer.fault("/transactions/3")).isEqualTo("needs either statements or a script | one of them");
        service.get(MINE).expect(404);
    }

    @Test
    void runsInPhasesAndStopsAfterTheLast() {
        JsonNode made = put(withPace("""
                "phases": [{"seconds": 0.5, "ratePerSecond": 50, "warmUp": true}, {"seconds": 0.5, "ratePerSecond": 100},
                 {"seconds": 1, "ratePerSecond": 100, "toRatePerSecond": 300}]""")).expect(201).json();
        assertThat(made.get("phases").size()).isEqualTo(3);
        assertThat(made.get("users").isNull()).isTrue();
        service.patch(MINE, "{\"ratePerSecond\": 5}").expect(422);
        assertThat(service.patch(MINE, "{\"varies\": true}").expect(422).fault("/varies"))
                .isEqualTo("cannot be set: the load has users or phases | running");
        await().atMost(Service.PATIENCE)
                .until(() -> !service.get(MINE).json().get("running").asBoolean());
        await().atMost(Service.PATIENCE)
                .until(() -> service.get(MINE).json().get("inFlight").asInt() == 0);

        JsonNode mine = service.get(MINE).json();
        assertThat(mine.get("phase").asInt()).isEqualTo(2);
        assertThat(mine.at("/phases/2/to").asDouble()).isEqualTo(300);
        assertThat(mine.at("/phases/2/offered").asInt()).isBetween(130, 280); // 200 are expected
        assertThat(mine.at("/phases/0/warmUp").asBoolean()).isTrue();
        assertThat(mine.at("/total/count").asInt())
                .as("without the warm-up")
                .isEqualTo(mine.at("/phases/1/latency/count").asInt()
                        + mine.at("/phases/2/latency/count").asInt());
        service.patch(MINE, "{\"running\": true}").expect(200);
        assertThat(service.get(MINE).json().get("running").asBoolean()).isTrue();
        assertThat(service.get("/audit?limit=2")
                        .json()
                        .at("/items/1/after/phases/2")
                        .toString())
                .contains("\"toRatePerSecond\":300");
    }

    @Test
    void usersWaitForTheirAnswers() {
        JsonNode made =
                put(withPace("\"users\": 5, \"thinkMs\": 20")).expect(201).json();
        assertThat(made.get("users").asInt()).isEqualTo(5);
        assertThat(made.get("phases").size()).isZero();
        await().atMost(Service.PATIENCE)
                .until(() -> service.get(MINE).json().at("/total/count").asInt() > 100);
        assertThat(service.get(MINE).json().get("inFlight").asInt()).isBetween(0, 5);
    }

    @Test
    void everyFaultOfAPaceIsNamedWithWhatIsAllowed() {
        Service.Answer phases = put(withPace("""
                "ratePerSecond": 5, "varies": true, "thinkMs": 5,
                "phases": [{"seconds": 5, "ratePerSecond": 5}, {"seconds": 0, "ratePerSecond": 5001, "toRatePerSecond": -1},
                 {"seconds": 5, "warmUp": true, "users": 3, "toUsers": 4}]""")).expect(422);
        assertThat(phases.fault("/ratePerSecond"))
                .isEqualTo("stands beside phases, each of which has its own load | one of them");
        assertThat(phases.fault("/varies")).isEqualTo("stands beside phases | a ramp");
        assertThat(phases.fault("/thinkMs")).isEqualTo("is for users | users in the phases");
        assertThat(phases.fault("/phases/1/seconds")).isEqualTo("must be 0.1 to 86400 s, was 0 | 0.1..86400");
        assertThat(phases.fault("/phases/1/ratePerSecond"))
                .isEqualTo("must be a rate of 0 to 5000 per second, was 5001 | 0..5000");
        assertThat(phases.fault("/phases/1/toRatePerSecond")).endsWith("was -1 | 0..5000");
        assertThat(phases.fault("/phases/2/warmUp")).isEqualTo("stands after a phase that counts | before all of them");
        assertThat(phases.fault("/phases/2/users")).isEqualTo("stands among phases of rates | rates");
        assertThat(phases.fault("/phases/2/toUsers")).isEqualTo("stands among phases of rates | rates");
        assertThat(phases.fault("/phases/2/ratePerSecond")).isEqualTo("is missing | 0..5000");
        assertThat(phases.fault("/phases")).isEqualTo("has no phase after its warm-ups | a phase without warmUp");

        assertThat(put(withPace("\"phases\": [{\"seconds\": 1, \"users\": 0}]"))
                        .expect(422)
                        .fault("/phases"))
                .isEqualTo("has no users above 0");
        assertThat(put(withPace("\"phases\": []")).expect(422).fault("/phases"))
                .isEqualTo("must be 1 to 50, was [] | 1..50");
        assertThat(put(withPace("\"phases\": [{\"ratePerSecond\": 5}]"))
                        .expect(422)
                        .fault("/phases/0/seconds"))
                .isEqualTo("is missing");
        Service.Answer users = put(withPace("\"users\": 1001, \"ratePerSecond\": 5, \"varies\": false"))
                .expect(422);
        assertThat(users.fault("/users")).isEqualTo("must be 1 to 1000 users, was 1001 | 1..1000");
        assertThat(users.fault("/ratePerSecond")).isEqualTo("stands beside users | one of them");
        assertThat(users.fault("/varies")).startsWith("stands beside users");
        assertThat(put(withPace("\"thinkMs\": 5")).expect(422).fault("/thinkMs"))
                .isEqualTo("is for users | users");
        service.get(MINE).expect(404);
    }

    private static String withPace(String pace) {
        return "{\"domain\": \"bank\", %s, \"transactions\": [{\"name\": \"one\", \"statements\": [\"SELECT 1\"]}]}"
                .formatted(pace);
    }

    @Test
    void sizesNamesAndNumbersAreBounded() {
        put("{\"domain\": \"bank\", \"transactions\": []}").expect(422);
        put("{\"domain\": \"bank\", \"transactions\": [{\"name\": \"a\", \"weight\": -1, \"statements\": [\"SELECT 1\"]}]}")
                .expect(422);
        put("{\"domain\": \"bank\", \"transactions\": [{\"name\": \"a\", \"weight\": 0, \"statements\": [\"SELECT 1\"]}]}")
                .expect(422);
        put("{\"domain\": \"bank\", \"class\": \"x\", \"transactions\": []}").expect(400);
        Service.Answer variables = put(withPace(
                        "\"variables\": {\"largest\": 9007199254740991, \"id\": 9007199254740993, \"none\": null, \"a/b\": 1}"))
                .expect(422);
        assertThat(variables.fault("/variables/id"))
                .isEqualTo("must be between -9007199254740991 and 9007199254740991, was 9.007199254740992E15"
                        + " | -9007199254740991..9007199254740991");
        assertThat(variables.fault("/variables/none")).isEqualTo("is missing");
        assertThat(variables.fault("/variables/a~1b")).isEqualTo("must be a name, was a/b");
        service.put("/workloads/Mine", BODY).expect(422);
        service.put("/workloads/bank", BODY).expect(409);
        service.delete("/workloads/bank").expect(409);
        for (int i = 0; i < Workloads.MOST_OF_USERS; i++) {
            service.put("/workloads/mine-" + i, BODY.replace("200", "0.1")).expect(201);
        }
        assertThat(put(BODY).expect(409).text()).contains("the most that are allowed");
        for (int i = 0; i < Workloads.MOST_OF_USERS; i++) {
            service.delete("/workloads/mine-" + i).expect(204);
        }
    }
}
