package dev.headgate.server.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.server.Service;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

class DatabaseContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @Test
    void aDatabaseIsMadeReadChangedAndDeleted() {
        Service.Answer made =
                service.post("/databases", service.databaseBody("lifecycle", 7)).expect(201);
        assertThat(made.header("Location")).isEqualTo("/api/v1/databases/lifecycle");
        assertThat(made.json().get("budget").asInt()).isEqualTo(7);
        assertThat(made.json().get("sslMode").asString()).isEqualTo("disable");
        assertThat(made.json().get("revision").asInt()).isZero();

        assertThat(service.patch("/databases/lifecycle", "{\"budget\": 9}")
                        .expect(200)
                        .json()
                        .get("budget")
                        .asInt())
                .isEqualTo(9);
        assertThat(service.get("/databases/lifecycle")
                        .expect(200)
                        .json()
                        .get("budget")
                        .asInt())
                .isEqualTo(9);
        assertThat(service.get("/databases").expect(200).text()).contains("\"name\":\"lifecycle\"");

        service.delete("/databases/lifecycle").expect(204);
        assertThat(service.get("/databases/lifecycle").problem()).isEqualTo("not-found");
    }

    @ParameterizedTest
    @CsvSource({
        "localhost,,prefer", "127.0.0.1,,prefer", "127.8.8.8,,prefer", "::1,,prefer", "db.localhost,,prefer",
        "db.internal,,verify-full", "10.0.0.1,,verify-full", "0.0.0.0,,verify-full",
                "localhost.example.org,,verify-full", "2001:db8::1,,verify-full",
        "db.internal,disable,disable", "127.0.0.1,verify-full,verify-full"
    })
    void aHostThatIsNotLoopbackIsVerifiedUnlessItsSettingsSayOtherwise(String host, String given, String inForce) {
        assertThat(new DatabaseCreateRequest("a", host, 5432, "a", "a", null, given, 1).sslModeInForce())
                .isEqualTo(inForce);
    }

    /** Of the embedded server, which speaks no TLS. */
    @Test
    void whatCannotBeVerifiedIsRefusedWithWhatToDo() {
        Service.Answer answer =
                service.post("/databases", service.databaseBody("strict", 5).replace("\"disable\"", "\"verify-full\""));
        assertThat(answer.problem()).isEqualTo("database-unreachable");
        assertThat(answer.json().get("detail").asString())
                .contains("sslMode is verify-full")
                .contains("~/.postgresql/root.crt");
        assertThat(service.get("/databases/strict").status()).isEqualTo(404);
    }

    /** 0.0.0.0 is no loopback address, though it leads to this machine. */
    @Test
    void aDatabaseThatLeavesThisMachineIsVerified() {
        service.post("/databases", service.databaseBody("moving", 5)).expect(201);
        Service.Answer answer = service.patch(
                "/databases/moving", "{\"host\": \"0.0.0.0\", \"password\": \"" + Service.TARGET_PASSWORD + "\"}");
        assertThat(answer.text()).contains("sslMode is verify-full");
        service.patch(
                        "/databases/moving",
                        "{\"host\": \"0.0.0.0\", \"sslMode\": \"disable\", \"password\": \"" + Service.TARGET_PASSWORD
                                + "\"}")
                .expect(200);
        service.delete("/databases/moving").expect(204);
    }

    @Test
    void whatCannotBeReachedIsNotKept() throws IOException {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0)) {
            nobody = socket.getLocalPort();
        }
        Service.Answer answer = service.post(
                "/databases",
                service.databaseBody("nowhere", 5)
                        .replace("\"port\": " + service.embedded().port(), "\"port\": " + nobody));
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.problem()).isEqualTo("database-unreachable");
        assertThat(answer.json().get("detail").asString())
                .contains("127.0.0.1:" + nobody)
                .contains("refused");
        assertThat(service.get("/databases/nowhere").status()).isEqualTo(404);
    }

    @Test
    void databasesOfOneServerTellItByWhenItStarted() {
        service.post("/databases", service.databaseBody("named", 5)).expect(201);
        service.post("/databases", service.databaseBody("numbered", 5).replace("127.0.0.1", "localhost"))
                .expect(201);
        await().atMost(Service.PATIENCE)
                .untilAsserted(() -> assertThat(startOf("named")).isNotEmpty().isEqualTo(startOf("numbered")));
        service.delete("/databases/named").expect(204);
        service.delete("/databases/numbered").expect(204);
    }

    private static String startOf(String database) {
        return service.get("/databases/" + database)
                .expect(200)
                .json()
                .get("serverStartedAt")
                .asString("");
    }

    /** It was told by the field reachable alone: no alarm, no state. */
    @Test
    void aDatabaseThatIsAwayHasAStateAndAnAlarmAlsoWhereNoDomainUsesIt() throws IOException {
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .start();
        service.post("/databases", """
                        {"name": "leaving", "host": "127.0.0.1", "port": %d, "database": "postgres", "user": "postgres",
                         "password": "postgres", "sslMode": "disable", "budget": 3}""".formatted(server.getPort())).expect(201);
        try {
            JsonNode fine = service.get("/databases/leaving").expect(200).json();
            assertThat(fine.at("/health/code").asString()).isEqualTo("fine");
            assertThat(fine.at("/health/sentence").asString()).isEqualTo("leaving is fine");
            assertThat(fine.get("alarms")).isEmpty();
            server.close();
            JsonNode alarm = await().atMost(Service.PATIENCE)
                    .until(DatabaseContractTest::alarmOfLeaving, Optional::isPresent)
                    .orElseThrow();
            assertThat(alarm.get("message").asString()).isEqualTo("leaving has been unreachable");
            assertThat(alarm.get("severity").asString()).isEqualTo("warning");
            JsonNode away = service.get("/databases/leaving").expect(200).json();
            assertThat(away.at("/health/sentence").asString()).isEqualTo("leaving has been unreachable");
            assertThat(away.at("/health/severity").asString()).isEqualTo("warning");
            assertThat(away.at("/alarms/0/detail").asString())
                    .isEqualTo(away.get("unreachableReason").asString());
        } finally {
            service.delete("/databases/leaving").expect(204);
            server.close();
        }
        await().atMost(Service.PATIENCE).until(() -> alarmOfLeaving().isEmpty());
    }

    private static Optional<JsonNode> alarmOfLeaving() {
        return service.get("/alarms?state=open&code=unreachable")
                .expect(200)
                .json()
                .get("items")
                .valueStream()
                .filter(alarm -> alarm.path("database").asString("").equals("leaving"))
                .findFirst();
    }

    @Test
    void aChangeThatCannotBeReachedIsNotMade() {
        service.post("/databases", service.databaseBody("steady", 5)).expect(201);

        byte[] before = storedPassword("steady");

        Service.Answer answer = service.patch("/databases/steady", "{\"password\": \"wr0ng-one\"}");

        assertThat(answer.problem()).isEqualTo("database-unreachable");
        assertThat(answer.text()).doesNotContain("wr0ng-one");
        assertThat(storedPassword("steady")).isEqualTo(before);
        service.patch("/databases/steady", "{\"user\": \"" + Service.TARGET + "\"}")
                .expect(200);
        service.delete("/databases/steady").expect(204);
    }

    /** Whoever may change the address would otherwise have the password sent to a server of their own. */
    /** The store refuses at the last moment; the engine has what is stored. */
    @Test
    void aChangeThatCannotBeKeptIsNotMade() {
        service.post("/databases", service.databaseBody("lasting", 5)).expect(201);
        try (Service.Refusal _ = service.refuseToCommit("databases.change")) {
            assertThat(service.patch("/databases/lasting", "{\"budget\": 9}").status())
                    .isGreaterThanOrEqualTo(400);
        }
        assertThat(service.bean(Engine.class)
                        .database("lasting")
                        .orElseThrow()
                        .target()
                        .budget())
                .isEqualTo(5);
        service.patch("/databases/lasting", "{\"budget\": 9}").expect(200);
        service.delete("/databases/lasting").expect(204);
    }

    @Test
    void theKeptPasswordGoesNowhereElse() {
        service.post("/databases", service.databaseBody("kept", 5).replace("disable", "prefer"))
                .expect(201);
        for (String change : new String[] {
            "\"host\": \"localhost\"",
            "\"port\": 1",
            "\"database\": \"postgres\"",
            "\"user\": \"postgres\"",
            "\"sslMode\": \"disable\""
        }) {
            Service.Answer answer = service.patch("/databases/kept", "{" + change + "}");
            assertThat(answer.status()).as(change).isEqualTo(422);
            assertThat(answer.fault("/password")).as(change).startsWith("is needed again");
        }
        service.patch("/databases/kept", "{\"host\": \"localhost\", \"password\": \"" + Service.TARGET_PASSWORD + "\"}")
                .expect(200);
        service.patch("/databases/kept", "{\"host\": \"localhost\", \"budget\": 6}")
                .expect(200);
        service.delete("/databases/kept").expect(204);
    }

    @Test
    void everyFaultIsNamedAtOnce() {
        Service.Answer answer = service.post("/databases", """
                {"name": "Bad Name", "host": "a b?x=/", "port": 70000, "database": "", "user": "u",
                 "sslMode": "maybe", "budget": 0}""");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.problem()).isEqualTo("invalid-request");
        assertThat(answer.fault("/name"))
                .isEqualTo(
                        "must be a name, was Bad Name | 1 to 63 lower-case letters, digits and hyphens, beginning with a letter");
        assertThat(answer.fault("/host")).startsWith("must be a host name or an address");
        assertThat(answer.fault("/port")).isEqualTo("must be a port, was 70000 | 1..65535");
        assertThat(answer.fault("/database")).startsWith("must be a database's name");
        assertThat(answer.fault("/sslMode"))
                .isEqualTo("must be an SSL mode, was maybe | disable, prefer, require, verify-ca, verify-full");
        assertThat(answer.fault("/budget")).isEqualTo("must be a number of connections, was 0 | 1..10000");
    }

    @Test
    void aBodyThatCannotBeReadIsRefusedWithThePlace() {
        assertThat(service.post("/databases", "{\"name\": ").status()).isEqualTo(400);
        Service.Answer syntax = service.post("/databases", "{\"name\" \"x\"}");
        assertThat(syntax.problem()).isEqualTo("malformed-request");
        assertThat(syntax.fault("")).contains("line 1, column");
        Service.Answer unknown = service.post("/databases", "{\"nmae\": \"x\"}");
        assertThat(unknown.status()).isEqualTo(400);
        assertThat(unknown.fault("/nmae"))
                .isEqualTo("is not a field of this request"
                        + " | budget, database, host, name, password, port, sslMode, user");
        Service.Answer type = service.post("/databases", "{\"name\": \"x\", \"port\": \"five\"}");
        assertThat(type.status()).isEqualTo(400);
        assertThat(type.fault("/port")).endsWith("| a whole number");
        assertThat(service.post("/databases", "").problem()).isEqualTo("malformed-request");
        assertThat(service.send("POST", "/api/v1/databases", "<x/>", "Content-Type", "text/xml")
                        .status())
                .isIn(400, 415);
    }

    @Test
    void aTakenNameIsAConflict() {
        Service.Answer answer = service.post("/databases", service.databaseBody("main", 5));
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.problem()).isEqualTo("conflict");
    }

    @Test
    void aDatabaseWithDomainsStays() {
        service.domain("tenant", "[]");
        Service.Answer answer = service.delete("/databases/main");
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().get("detail").asString()).contains("tenant");
        service.delete("/domains/tenant").expect(204);
    }

    @Test
    void aBudgetBelowTheGuaranteesIsRefused() {
        service.post("/databases", service.databaseBody("promised", 20)).expect(201);
        service.post("/domains", """
                        {"name": "owed", "database": "promised",
                         "policySet": {"policies": [{"plugin": "fixed", "parameters": {"min": 0, "max": 20, "guaranteed": 8}}]}}""").expect(201);

        Service.Answer answer = service.patch("/databases/promised", "{\"budget\": 7}");

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.fault("/budget"))
                .isEqualTo("must cover the 8 connections guaranteed to the domains of promised, was 7 | 8..10000");
        assertThat(service.get("/databases/promised").json().get("budget").asInt())
                .isEqualTo(20);
        service.patch("/databases/promised", "{\"budget\": 8}").expect(200);
        service.delete("/domains/owed").expect(204);
        service.delete("/databases/promised").expect(204);
    }

    @Test
    void aBudgetThatTheServerCannotGiveIsWarnedOf() {
        Service.Answer answer = service.post("/databases", service.databaseBody("greedy", 5_000))
                .expect(201);
        assertThat(answer.header("Headgate-Warning")).contains("5000").contains("more than the server can give");
        service.delete("/databases/greedy").expect(204);
    }

    @Test
    void thePasswordIsKeptEncryptedAndComesBackNowhere() {
        assertThat(new String(storedPassword("main"), java.nio.charset.StandardCharsets.ISO_8859_1))
                .doesNotContain(Service.TARGET_PASSWORD)
                .isNotEmpty();
        assertThat(service.get("/databases").text())
                .doesNotContain(Service.TARGET_PASSWORD)
                .doesNotContain("password");
        assertThat(service.get("/audit?limit=500").text()).doesNotContain(Service.TARGET_PASSWORD);
    }

    private static byte[] storedPassword(String name) {
        return service.bean(JdbcClient.class)
                .sql("select password from target where name = :name")
                .param("name", name)
                .query((row, n) -> row.getBytes(1))
                .single();
    }

    @Test
    void aRequestThatIsLoggedShowsNoPassword() {
        assertThat(new DatabaseCreateRequest("n", "h", 1, "d", "u", "hidden", null, 1).toString())
                .doesNotContain("hidden");
        assertThat(new DatabasePatchRequest("h", 1, "d", "u", "hidden", null, 1).toString())
                .doesNotContain("hidden");
    }
}
