package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransactionContractTest {

    private static final String PATH = "/domains/together/sql/transactions";

    private Service service;

    @BeforeAll
    void open() throws IOException {
        service = Service.shared();
        service.domain("together", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 3}}]");
        execute("/domains/together/sql", "CREATE TABLE IF NOT EXISTS kept (id int PRIMARY KEY)")
                .expect(200);
    }

    @AfterEach
    void noConnectionStaysLeased() {
        Awaitility.await().atMost(Service.PATIENCE).until(() -> inUse() == 0);
    }

    private int inUse() {
        return service.get("/domains/together/pool").json().get("inUse").asInt();
    }

    private Answer execute(String path, String sql) {
        return service.post(path, "{\"sql\": \"" + sql + "\"}");
    }

    private String begin(String body) {
        Answer begun = service.post(PATH, body).expect(201);
        String id = begun.json().get("id").asString();
        assertThat(begun.header("Location")).isEqualTo("/api/v1" + PATH + "/" + id);
        return PATH + "/" + id;
    }

    private int count(int id) {
        return Integer.parseInt(execute("/domains/together/sql", "SELECT count(*)::int FROM kept WHERE id = " + id)
                .expect(200)
                .text()
                .lines()
                .skip(1)
                .findFirst()
                .orElseThrow()
                .replaceAll("\\D", ""));
    }

    @Test
    void aTransactionGoesOnOverSeveralRequestsAndIsKept() {
        String handle = begin("{}");
        assertThat(inUse()).isEqualTo(1);
        assertThat(execute(handle, "INSERT INTO kept VALUES (1)").expect(200).text())
                .contains("\"waitedMs\":0.000,"); // only its begin waited for the connection
        assertThat(execute(handle, "SELECT count(*)::int FROM kept WHERE id = 1")
                        .text())
                .contains("\n[1]\n");
        assertThat(count(1)).isZero();
        assertThat(service.get(PATH)
                        .expect(200)
                        .json()
                        .get("items")
                        .get(0)
                        .get("requests")
                        .asInt())
                .isEqualTo(2);
        service.post(handle + "/commit", null).expect(204);
        assertThat(count(1)).isEqualTo(1);
        execute(handle, "SELECT 1").expect(404);
        assertThat(service.get(PATH).json().get("items").size()).isZero();
    }

    /** With the beginning of its handle, so that an operator knows which of those that are listed it is. */
    @Test
    void itsLeaseNamesItsHolder() {
        String handle = begin("{}");
        String id = handle.substring(handle.lastIndexOf('/') + 1);
        assertThat(service.get("/domains/together/connections").text())
                .contains("\"holder\":\"sql admin, transaction " + id.substring(0, 8) + "\"")
                .doesNotContain(id);
        assertThat(service.get("/domains/together/leases")
                        .json()
                        .at("/items/0/caller/transaction")
                        .asString())
                .isEqualTo(id.substring(0, 8));
        service.delete(handle).expect(204);
    }

    @Test
    void openOnesAreCounted() {
        double before = counted();
        String handle = begin("{}");
        assertThat(counted()).isEqualTo(before + 1);
        service.delete(handle).expect(204);
        assertThat(counted()).isEqualTo(before);
    }

    private double counted() {
        return service.send("GET", "/actuator/prometheus", null)
                .text()
                .lines()
                .filter(line -> line.startsWith("headgate_sql_transactions "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }

    @Test
    void aDeletedOneLeavesNothing() {
        String handle = begin("{\"isolation\": \"serializable\"}");
        assertThat(execute(handle, "SHOW transaction_isolation").text()).contains("serializable");
        execute(handle, "INSERT INTO kept VALUES (2)").expect(200);
        service.delete(handle).expect(204);
        assertThat(count(2)).isZero();
        service.delete(handle).expect(404);
    }

    /** Else it would hold a connection that nobody knows of. */
    @Test
    void whoeverGoesAwayBeforeItBeginsHasNone() throws IOException {
        service.post(
                        "/domains",
                        "{\"name\": \"abandoned\", \"database\": \"main\", \"policySet\": {\"policies\": [{\"plugin\":"
                                + " \"fixed\", \"parameters\": {\"min\": 1, \"max\": 1}}], \"whenExhausted\": {\"mode\":"
                                + " \"queue\", \"timeoutMs\": 600000, \"depth\": 10}}}")
                .expect(201);
        String path = "/domains/abandoned/sql/transactions";
        String body = "{\"idleSeconds\": 300}";
        String first = service.post(path, body).expect(201).json().get("id").asString();
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream()
                    .write(("POST /api/v1" + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                    + service.token() + "\r\nContent-Type: application/json\r\nContent-Length: "
                                    + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            Awaitility.await().atMost(Service.PATIENCE).until(() -> waiting("abandoned") == 1);
        }
        Awaitility.await().atMost(Service.PATIENCE).until(() -> waiting("abandoned") == 0);
        assertThat(service.get(path).json().get("items").size()).isEqualTo(1);
        service.delete(path + "/" + first).expect(204);
        service.post("/domains/abandoned/sql", "{\"sql\": \"SELECT 1\"}").expect(200);
        service.delete("/domains/abandoned").expect(204);
    }

    private int waiting(String domain) {
        return service.get("/domains/" + domain + "/pool").json().get("waiting").asInt();
    }

    @Test
    void anIdleOneIsRolledBack() {
        String handle = begin("{\"idleSeconds\": 1}");
        execute(handle, "INSERT INTO kept VALUES (3)").expect(200);
        Awaitility.await().atMost(Service.PATIENCE).until(() -> inUse() == 0);
        execute(handle, "SELECT 1").expect(404);
        assertThat(count(3)).isZero();
    }

    @Test
    void aFailedOneIsNotCommitted() {
        String handle = begin("{}");
        execute(handle, "INSERT INTO kept VALUES (4)").expect(200);
        execute(handle, "SELECT 1/0").expect(400);
        assertThat(execute(handle, "SELECT 1")
                        .expect(500)
                        .json()
                        .get("sql")
                        .get("code")
                        .asString())
                .isEqualTo("25P02");
        assertThat(service.post(handle + "/commit", null)
                        .expect(409)
                        .json()
                        .get("sql")
                        .get("code")
                        .asString())
                .isEqualTo("25P02");
        assertThat(count(4)).isZero();
    }

    /** Rows of it are still to come, and a session answers one statement after another. Its lease may come back a moment later. */
    @ParameterizedTest
    @CsvSource({"1, application/x-ndjson", "20, application/json"}) // a row that is too long, an answer that is
    void anAnswerThatHasNoRoomEndsItAtOnce(int rows, String accept) {
        for (int i = 0; i < 3; i++) {
            String handle = begin("{}");
            execute(handle, "INSERT INTO kept VALUES (6)").expect(200);
            String sql = "SELECT repeat('x', 20000000 / " + rows + ") FROM generate_series(1, " + rows + ")";
            service.post(handle, "{\"sql\": \"" + sql + "\"}", "Accept", accept).expect(413);
            execute(handle, "SELECT 1").expect(404);
            service.post(handle + "/commit", null).expect(404);
        }
        assertThat(count(6)).isZero();
    }

    @Test
    void aReadOnlyOneChangesNothing() {
        String handle = begin("{\"readOnly\": true}");
        execute(handle, "INSERT INTO kept VALUES (5)").expect(405);
        service.delete(handle).expect(204);
    }

    @Test
    void aReadOnlyOneIsCommittedUnlessItHasFailed() {
        String good = begin("{\"readOnly\": true}");
        execute(good, "SELECT 1").expect(200);
        service.post(good + "/commit", null).expect(204);
        String failed = begin("{\"readOnly\": true}");
        execute(failed, "SELECT 1/0").expect(400);
        assertThat(service.post(failed + "/commit", null).expect(409).text()).contains("25P02");
        execute(failed, "SELECT 1").expect(404);
    }

    @Test
    void whatWouldLeaveItIsRefused() {
        String handle = begin("{}");
        for (String way : java.util.List.of("COMMIT", "ROLLBACK", "BEGIN", "PREPARE TRANSACTION 'x'")) {
            execute(handle, way).expect(422);
        }
        execute(handle, "SAVEPOINT a").expect(200);
        execute(handle, "ROLLBACK TO a").expect(200);
        execute(handle, "PREPARE one AS SELECT 1").expect(200);
        assertThat(execute(handle, "EXECUTE one").expect(200).text()).contains("\n[1]\n");
        service.post(handle, "{\"sql\": \"SELECT 1\", \"readOnly\": true}").expect(422);
        service.delete(handle).expect(204);
        service.post(PATH, "{\"idleSeconds\": 0}").expect(422);
        assertThat(service.post(PATH, "{\"isolation\": \"chaos\"}").expect(400).text())
                .contains("\"allowed\":\"read committed, repeatable read, serializable\"");
        service.post(PATH, "{\"isolation\": 0}").expect(400);
        service.post(PATH, "{\"isolation\": \"0\"}").expect(400);
        service.post(PATH, "{\"isolation\": \"\"}").expect(400);
        service.post("/domains/nowhere/sql/transactions", "{}").expect(404);
    }
}
