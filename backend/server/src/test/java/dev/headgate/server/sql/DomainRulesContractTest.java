package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a domain's own settings allow over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DomainRulesContractTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String DOMAIN = "sql-rules";

    private Service service;
    private String connection;

    @BeforeAll
    void open() throws IOException {
        service = Service.shared();
        service.domain(DOMAIN, "[]");
        String password = service.client(DOMAIN, "web");
        connection = "postgresql://web:" + password + "@db.example.org/" + DOMAIN;
        service.post("/domains/" + DOMAIN + "/sql", "{\"sql\": \"CREATE TABLE rules (i int)\"}")
                .expect(200);
    }

    @AfterAll
    void drop() {
        rules("{\"access\": \"write\", \"maxRows\": 0, \"maxBytes\": 0, \"timeoutMs\": 0}");
        run("DROP TABLE rules").expect(200);
    }

    private void rules(String sql) {
        service.patch("/domains/" + DOMAIN, "{\"sql\": " + sql + "}").expect(200);
    }

    private Answer run(String statement, String... headers) {
        return service.post(
                "/domains/" + DOMAIN + "/sql", JSON.writeValueAsString(java.util.Map.of("sql", statement)), headers);
    }

    private Answer neon(String body) {
        return service.sendAnonymous("POST", "/sql", body, "Neon-Connection-String", connection);
    }

    private static List<JsonNode> records(Answer answer) {
        return answer.text().lines().map(JSON::readTree).toList();
    }

    private void nothingWasWritten() {
        assertThat(records(run("SELECT count(*) FROM rules").expect(200)).get(1).toString())
                .isEqualTo("[\"0\"]");
    }

    @Test
    void whereOnlyReadingIsAllowedNoWayWrites() {
        rules("{\"access\": \"read\"}");
        try {
            String insert = "INSERT INTO rules VALUES (1)";
            run(insert).expect(405);
            service.post(
                            "/domains/" + DOMAIN + "/sql",
                            "{\"transaction\": true, \"statements\": [{\"sql\": \"" + insert + "\"}]}")
                    .expect(405);
            assertThat(service.post(
                                    "/domains/" + DOMAIN + "/sql",
                                    "{\"statements\": [{\"sql\": \"SELECT 1\"}, {\"sql\": \"" + insert + "\"}]}")
                            .expect(200)
                            .text())
                    .contains("25006");
            assertThat(service.post(
                                    "/sql/scatter",
                                    "{\"branches\": [{\"domain\": \"" + DOMAIN + "\", \"sql\": \"" + insert + "\"}]}")
                            .expect(200)
                            .text())
                    .contains("25006");
            assertThat(neon("{\"query\": \"" + insert + "\"}").expect(400).text())
                    .contains("25006");
            assertThat(neon("{\"queries\": [{\"query\": \"" + insert + "\"}]}")
                            .expect(400)
                            .text())
                    .contains("25006");
            String transaction = service.post(
                            "/domains/" + DOMAIN + "/sql/transactions", "{\"isolation\": \"serializable\"}")
                    .expect(201)
                    .json()
                    .get("id")
                    .asString();
            String path = "/domains/" + DOMAIN + "/sql/transactions/" + transaction;
            service.post(path, "{\"sql\": \"SET TRANSACTION READ WRITE\"}").expect(422);
            service.post(path, "{\"sql\": \"" + insert + "\"}").expect(405);
            service.delete(path).expect(204);
            nothingWasWritten();
        } finally {
            rules("{\"access\": \"write\"}");
        }
    }

    /** PostgreSQL lets EXPLAIN ANALYZE make a table in a read-only transaction, which is rolled back for that. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "EXPLAIN ANALYZE CREATE TABLE passed AS SELECT 1",
                "EXPLAIN (ANALYZE) SELECT 1 AS a INTO passed",
                "DO $$BEGIN EXECUTE 'EXPLAIN ANALYZE CREATE TABLE passed AS SELECT 1'; END$$"
            })
    void whatPostgresLetsPassIsUndone(String statement) {
        String path = "/domains/" + DOMAIN + "/sql";
        String one = "{\"sql\": \"" + statement + "\"";
        service.post(path, one + ", \"readOnly\": true}").expect(200);
        service.post(path, "{\"readOnly\": true, \"transaction\": true, \"statements\": [" + one + "}]}")
                .expect(200);
        String asked = begun("{\"readOnly\": true}");
        service.post(asked, one + "}").expect(200);
        service.post(asked + "/commit", null).expect(204);
        rules("{\"access\": \"read\"}");
        try {
            service.post(path, one + "}").expect(200);
            service.post(path, "{\"statements\": [" + one + "}, " + one + "}]}").expect(200);
            service.post("/sql/scatter", "{\"branches\": [" + one + ", \"domain\": \"" + DOMAIN + "\"}]}")
                    .expect(200);
            neon("{\"queries\": [{\"query\": \"" + statement + "\"}]}").expect(200);
            String bound = begun("{}");
            service.post(bound, one + "}").expect(200);
            service.post(bound + "/commit", null).expect(204);
            assertThat(service.post(path, "{\"sql\": \"SELECT to_regclass('passed')\"}")
                            .expect(200)
                            .text())
                    .contains("\n[null]\n");
        } finally {
            rules("{\"access\": \"write\"}");
        }
    }

    /** A transaction that was begun to write before does not go on, whatever the next request is. */
    @ParameterizedTest
    @ValueSource(strings = {"read", "off"})
    void whatIsAllowedNoMoreEndsAnOpenTransaction(String access) {
        String transactions = "/domains/" + DOMAIN + "/sql/transactions";
        String insert = "{\"sql\": \"INSERT INTO rules VALUES (1)\"}";
        String before = begun("{}");
        String after = begun("{}");
        String reader = begun("{\"readOnly\": true}");
        service.post(before, insert).expect(200);
        service.post(reader, "{\"sql\": \"SET TRANSACTION READ WRITE\"}").expect(422);
        rules("{\"access\": \"" + access + "\"}");
        try {
            service.post(before + "/commit", null).expect(403);
            service.post(after, insert).expect(403);
            service.post(after + "/commit", null).expect(404);
            service.post(reader, "{\"sql\": \"SELECT 1\"}").expect(access.equals("read") ? 200 : 403);
            service.delete(reader).expect(access.equals("read") ? 204 : 404);
            assertThat(service.get(transactions).json().get("items").size()).isZero();
        } finally {
            rules("{\"access\": \"write\"}");
        }
        nothingWasWritten();
    }

    private String begun(String body) {
        String path = "/domains/" + DOMAIN + "/sql/transactions";
        return path + "/"
                + service.post(path, body).expect(201).json().get("id").asString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BEGIN READ WRITE",
                "COMMIT",
                "ROLLBACK",
                "SET default_transaction_read_only = off",
                "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
                "RESET ALL",
                "END"
            })
    void whereOnlyReadingIsAllowedNothingLeavesTheTransaction(String statement) {
        rules("{\"access\": \"read\"}");
        try {
            assertThat(run(statement).expect(422).fault("/sql")).contains("read-only");
            service.post(
                            "/sql/scatter",
                            "{\"branches\": [{\"domain\": \"" + DOMAIN + "\", \"sql\": \"" + statement + "\"}]}")
                    .expect(422);
            neon("{\"query\": \"" + statement + "\"}").expect(400);
        } finally {
            rules("{\"access\": \"write\"}");
        }
    }

    @Test
    void readingIsAnsweredAsEverywhere() {
        Answer free = run("SELECT 1 AS a");
        Answer scattered = service.post(
                "/sql/scatter", "{\"branches\": [{\"domain\": \"" + DOMAIN + "\", \"sql\": \"SELECT 1 AS a\"}]}");
        rules("{\"access\": \"read\"}");
        try {
            assertThat(records(run("SELECT 1 AS a")).subList(0, 3))
                    .isEqualTo(records(free).subList(0, 3));
            assertThat(records(service.post(
                                    "/sql/scatter",
                                    "{\"branches\": [{\"domain\": \"" + DOMAIN + "\", \"sql\": \"SELECT 1 AS a\"}]}"))
                            .subList(0, 3))
                    .isEqualTo(records(scattered).subList(0, 3));
        } finally {
            rules("{\"access\": \"write\"}");
        }
    }

    /** Nothing of the others has begun. */
    @Test
    void ofAScatterOneRefusedBranchRefusesAll() {
        rules("{\"access\": \"read\"}");
        try {
            service.domain("rules-writer", "[]");
            String insert = "{\"domain\": \"rules-writer\", \"sql\": \"INSERT INTO rules VALUES (1)\"}";
            assertThat(service.post(
                                    "/sql/scatter",
                                    "{\"branches\": [" + insert + ", {\"domain\": \"" + DOMAIN
                                            + "\", \"sql\": \"SET work_mem = '4MB'\"}]}")
                            .expect(422)
                            .fault("/branches/1/sql"))
                    .contains("SET");
            rules("{\"access\": \"off\"}");
            service.post(
                            "/sql/scatter",
                            "{\"branches\": [" + insert + ", {\"domain\": \"" + DOMAIN + "\", \"sql\": \"SELECT 1\"}]}")
                    .expect(403);
        } finally {
            rules("{\"access\": \"write\"}");
        }
        nothingWasWritten();
        service.delete("/domains/rules-writer").expect(204);
    }

    @Test
    void itCanBeOff() {
        rules("{\"access\": \"off\"}");
        try {
            assertThat(run("SELECT 1").expect(403).problem()).isEqualTo("forbidden");
            service.post("/domains/" + DOMAIN + "/sql/transactions", "{}").expect(403);
            service.post("/sql/scatter", "{\"branches\": [{\"domain\": \"" + DOMAIN + "\", \"sql\": \"SELECT 1\"}]}")
                    .expect(403);
            run("SELECT 1", "Prefer", "respond-async").expect(403);
            assertThat(neon("{\"query\": \"SELECT 1\"}").expect(403).text()).contains("off");
        } finally {
            rules("{\"access\": \"write\"}");
        }
    }

    @Test
    void anAnswerBeyondALimitFailsAndIsNeverCutShort() {
        rules("{\"maxRows\": 100}");
        try {
            run("SELECT generate_series(1, 100)").expect(200);
            Answer json = run("SELECT generate_series(1, 101)", "Accept", "application/json")
                    .expect(413);
            assertThat(json.problem()).isEqualTo("sql-failed");
            assertThat(json.json().at("/sql/message").asString()).contains("100 rows");
            List<JsonNode> begun = records(run("SELECT i, repeat('x', 1000) FROM generate_series(1, 1000) AS i"));
            assertThat(begun.getLast().at("/error/code").asString()).isEqualTo("54000");
        } finally {
            rules("{\"maxRows\": 0}");
        }
    }

    @Test
    void allAnswersTogetherHaveALimitOfBytes() {
        rules("{\"maxBytes\": 10000}");
        try {
            run("SELECT repeat('x', 9000)").expect(200);
            run("SELECT repeat('x', 11000)").expect(413);
            assertThat(neon("{\"query\": \"SELECT repeat('x', 11000)\"}")
                            .expect(507)
                            .text())
                    .contains("54000");
        } finally {
            rules("{\"maxBytes\": 0}");
        }
    }

    @Test
    void theDomainsTimeBoundsThatOfTheRequest() {
        rules("{\"timeoutMs\": 5000}");
        try {
            assertThat(records(run("SHOW statement_timeout")).get(1).toString()).isEqualTo("[\"5s\"]");
            assertThat(records(service.post(
                                    "/domains/" + DOMAIN + "/sql",
                                    "{\"sql\": \"SHOW statement_timeout\", \"timeoutMs\": 60000}"))
                            .get(1)
                            .toString())
                    .isEqualTo("[\"5s\"]");
            assertThat(records(service.post(
                                    "/domains/" + DOMAIN + "/sql",
                                    "{\"sql\": \"SHOW statement_timeout\", \"timeoutMs\": 2000}"))
                            .get(1)
                            .toString())
                    .isEqualTo("[\"2s\"]");
        } finally {
            rules("{\"timeoutMs\": 0}");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"access\": \"admin\"} | 422 | /sql/access",
                "{\"maxRows\": -1} | 422 | /sql/maxRows",
                "{\"maxBytes\": \"10\"} | 400 | /sql/maxBytes",
                "{\"timeoutMs\": 86400001} | 422 | /sql/timeoutMs"
            })
    void whatIsNoSettingIsAFaultAtItsPlace(String sql, int status, String pointer) {
        assertThat(service.patch("/domains/" + DOMAIN, "{\"sql\": " + sql + "}")
                        .expect(status)
                        .fault(pointer))
                .isNotEmpty();
        assertThat(service.get("/domains/" + DOMAIN).json().get("sql").toString())
                .isEqualTo("{\"access\":\"write\",\"maxRows\":0,\"maxBytes\":0,\"timeoutMs\":0}");
    }
}
