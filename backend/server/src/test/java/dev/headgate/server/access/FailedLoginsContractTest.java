package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class FailedLoginsContractTest {

    @TempDir
    static Path data;

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.start(data);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void failuresAreSlowedCountedAndAuditedAndTheRightTokenPasses() {
        for (int i = 0; i < FailedLogins.MOST_IN_A_WINDOW; i++) {
            assertThat(wrong().status()).isEqualTo(401);
        }
        Answer slowed = wrong();
        assertThat(slowed.status()).isEqualTo(429);
        assertThat(slowed.problem()).isEqualTo("too-many-requests");
        assertThat(Integer.parseInt(slowed.header("Retry-After"))).isBetween(1, 60);
        assertThat(service.sendAnonymous("GET", "/api/v1/domains", null, "Cookie", "headgate_session=1.forged.x")
                        .status())
                .isEqualTo(429);

        JsonNode entry = failedLogin("token");
        assertThat(entry.get("remote").asString()).isEqualTo("127.0.0.1");
        assertThat(service.send("GET", "/actuator/prometheus", null).text())
                .contains("headgate_access_failures_total{shown=\"token\"} 11.0")
                .contains("headgate_access_failures_total{shown=\"session\"} 1.0");
        assertThat(service.sendAnonymous("GET", "/actuator/health", null).status())
                .isEqualTo(200);
    }

    /** The right password passes, late. */
    @Test
    void failuresAtTheWirePortAreSlowedCountedAndAudited() throws SQLException {
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
        service.domain("bank", "[]");
        JsonNode client = service.post("/domains/bank/clients", "{\"name\": \"app\"}")
                .expect(201)
                .json();
        String password = client.get("password").asString();
        for (int i = 0; i < FailedLogins.MOST_IN_A_WINDOW; i++) {
            assertThatThrownBy(() -> connect("wrong").close())
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
        }
        assertThat(service.bean(Access.class).isSlowed("127.0.0.1")).isTrue();
        try (Connection late = connect(password)) {
            assertThat(late.isValid(10)).isTrue();
        }
        JsonNode entry = failedLogin("wire");
        assertThat(entry.get("remote").asString()).isEqualTo("127.0.0.1");
        assertThat(entry.get("after").get("client").asString()).isEqualTo("bank/app");
        assertThat(service.get("/log?q=failed:").expect(200).text())
                .contains("A login from 127.0.0.1 failed: its password at the wire port is not valid");
        assertThat(service.send("GET", "/actuator/prometheus", null).text())
                .contains("headgate_access_failures_total{shown=\"wire\"} 10.0");
    }

    private static Connection connect(String password) throws SQLException {
        JsonNode endpoint =
                service.get("/domains/bank/clients").expect(200).json().get("endpoint");
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%d/bank?sslmode=disable"
                        .formatted(endpoint.get("port").asInt()),
                "app",
                password);
    }

    /** The one entry of its kind. It is written when the answer has left. */
    private static JsonNode failedLogin(String shown) {
        return await().atMost(Service.PATIENCE)
                .until(
                        () -> service.get("/audit?action=access.login-failed")
                                .expect(200)
                                .json()
                                .get("items")
                                .valueStream()
                                .filter(entry -> entry.get("after")
                                        .get("shown")
                                        .asString()
                                        .equals(shown))
                                .toList(),
                        entries -> entries.size() == 1)
                .getFirst();
    }

    private static Answer wrong() {
        return service.sendAnonymous("POST", "/api/v1/session", null, "Authorization", "Bearer wr0ng");
    }
}
