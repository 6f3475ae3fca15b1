package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.nio.file.Path;
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

        JsonNode entries = service.get("/audit").expect(200).json().get("items");
        assertThat(entries.size()).isEqualTo(1);
        assertThat(entries.get(0).get("action").asString()).isEqualTo("access.login-failed");
        assertThat(entries.get(0).get("remote").asString()).isEqualTo("127.0.0.1");
        assertThat(service.send("GET", "/actuator/prometheus", null).text())
                .contains("headgate_access_failures_total{shown=\"token\"} 11.0")
                .contains("headgate_access_failures_total{shown=\"session\"} 1.0");
        assertThat(service.sendAnonymous("GET", "/actuator/health", null).status())
                .isEqualTo(200);
    }

    private static Answer wrong() {
        return service.sendAnonymous("POST", "/api/v1/session", null, "Authorization", "Bearer wr0ng");
    }
}
