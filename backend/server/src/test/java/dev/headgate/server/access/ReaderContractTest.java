package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import dev.headgate.server.store.DataFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The reader's token looks at everything and changes nothing. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReaderContractTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Set<String> READING = Set.of("get", "head", "options");
    private static final String DOMAIN = "reader";
    private static final String SQL = "/api/v1/domains/" + DOMAIN + "/sql";

    private Service service;
    private String token;

    @BeforeAll
    void open() throws IOException {
        service = Service.shared();
        service.domain(DOMAIN, "[]");
        token = Files.readString(service.bean(DataFolder.class).path().resolve("reader-token"))
                .strip();
    }

    private Answer send(String method, String path, String body) {
        return service.sendAnonymous(
                method, path, body, "Authorization", "Bearer " + token, "Content-Type", "application/json");
    }

    @Test
    void seesWhatThereIs() {
        JsonNode session = send("GET", "/api/v1/session", "").expect(200).json();
        assertThat(session.get("role").asString()).isEqualTo("reader");
        send("GET", "/api/v1/domains", "").expect(200);
        send("GET", "/api/v1/audit", "").expect(200);
        send("GET", "/actuator/prometheus", "").expect(200);
    }

    @Test
    void noOperationThatChangesSomethingIsOpenToIt() {
        JsonNode document =
                JSON.readTree(service.sendAnonymous("GET", "/v3/api-docs", "", "Authorization", "Bearer " + token)
                        .expect(200)
                        .text());
        List<String> refused = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
            for (String method : path.getValue().propertyNames()) {
                boolean ofItsOwn = path.getKey().equals("/api/v1/session")
                        || path.getKey().contains("/sql/")
                        || path.getKey().endsWith("/sql");
                if (READING.contains(method) || method.equals("parameters") || ofItsOwn) {
                    continue;
                }
                String address = path.getKey().replaceAll("\\{[^}]*}", DOMAIN);
                Answer answer = send(method.toUpperCase(java.util.Locale.ROOT), address, "{}");
                assertThat(answer.status()).as(method + " " + address).isEqualTo(403);
                refused.add(address);
            }
        }
        assertThat(refused).hasSizeGreaterThan(20);
        service.get("/domains/" + DOMAIN).expect(200);
    }

    @Test
    void itsStatementsAreExecutedInReadOnlyTransactions() {
        send("POST", SQL, "{\"sql\": \"SELECT 1\"}").expect(200);
        send("POST", SQL, "{\"sql\": \"CREATE TABLE of_a_reader (i int)\"}").expect(405);
        send("POST", SQL, "{\"sql\": \"COMMIT\"}").expect(422);
        String id = send("POST", SQL + "/transactions", "{}")
                .expect(201)
                .json()
                .get("id")
                .asString();
        send("POST", SQL + "/transactions/" + id, "{\"sql\": \"CREATE TABLE of_a_reader (i int)\"}")
                .expect(405);
        send("DELETE", SQL + "/transactions/" + id, "").expect(204);
    }

    @Test
    void noOtherWayExecutesItsStatementsOtherwise() {
        String create = "\"sql\": \"CREATE TABLE of_a_reader (i int)\"";
        assertThat(send(
                                "POST",
                                "/api/v1/sql/scatter",
                                "{\"branches\": [{\"domain\": \"" + DOMAIN + "\", " + create + "}]}")
                        .expect(200)
                        .text())
                .contains("25006");
        keyed("{" + create + "}", "Idempotency-Key", "of-a-reader").expect(405);
        Answer later = keyed("{" + create + "}", "Prefer", "respond-async").expect(202);
        assertThat(send("GET", later.header("Location") + "/result", "")
                        .expect(200)
                        .text())
                .contains("25006");
    }

    private Answer keyed(String body, String header, String value) {
        return service.sendAnonymous("POST", SQL, body, "Authorization", "Bearer " + token, header, value);
    }

    @Test
    void doesNotGoOnWithATransactionOfSomebodyElse() {
        String id = service.post("/domains/" + DOMAIN + "/sql/transactions", "{}")
                .expect(201)
                .json()
                .get("id")
                .asString();
        String path = SQL + "/transactions/" + id;
        send("POST", path, "{\"sql\": \"SELECT 1\"}").expect(403);
        send("POST", path + "/commit", "").expect(403);
        send("DELETE", path, "").expect(403);
        service.delete("/domains/" + DOMAIN + "/sql/transactions/" + id).expect(204);
    }

    @Test
    void doesNotFetchOrCancelTheRequestOfSomebodyElse() {
        String id = service.post("/domains/" + DOMAIN + "/sql", "{\"sql\": \"SELECT 1\"}", "Prefer", "respond-async")
                .expect(202)
                .json()
                .get("id")
                .asString();
        String path = "/api/v1/sql/requests/" + id;
        send("GET", path, "").expect(403);
        send("GET", path + "/result", "").expect(403);
        send("DELETE", path, "").expect(403);
        service.delete("/sql/requests/" + id).expect(204);
    }

    @Test
    void itsBrowserSessionIsAReadersToo() {
        Answer opened = send("POST", "/api/v1/session", "{}").expect(204);
        String cookie = opened.header("Set-Cookie").replaceFirst(";.*", "");
        String origin = service.root().toString();
        assertThat(service.sendAnonymous("GET", "/api/v1/session", "", "Cookie", cookie)
                        .expect(200)
                        .json()
                        .get("role")
                        .asString())
                .isEqualTo("reader");
        service.sendAnonymous("DELETE", "/api/v1/domains/" + DOMAIN, "", "Cookie", cookie, "Origin", origin)
                .expect(403);
        service.sendAnonymous("DELETE", "/api/v1/session", "", "Cookie", cookie, "Origin", origin)
                .expect(204);
        service.sendAnonymous("GET", "/api/v1/session", "", "Cookie", cookie).expect(401);
    }
}
