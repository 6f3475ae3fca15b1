package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RateContractTest {

    /** Requests that no run of 5 per second allows. */
    private static final int MOST = 1_000;

    @TempDir
    Path data;

    @Test
    void aCallerBeyondItsRateIsRefusedAndNobodyElse() throws IOException {
        try (Service service = Service.start(data, "--headgate.limits.requests-per-second=5")) {
            String setCookie = service.post("/session", null).expect(204).header("Set-Cookie");
            Service.Answer answer = service.get("/session");
            assertThat(answer.header("RateLimit-Policy")).isEqualTo("\"requests\";q=10;w=2");
            assertThat(answer.header("RateLimit")).matches("\"requests\";r=[0-9];t=[12]");

            answer = untilRefused(service, "/api/v1/session");
            assertThat(answer.status()).isEqualTo(429);
            assertThat(answer.problem()).isEqualTo("too-many-requests");
            assertThat(answer.header("Retry-After")).isEqualTo("1");
            assertThat(answer.header("RateLimit")).isEqualTo("\"requests\";r=0;t=2");
            assertThat(answer.text()).contains("headgate.limits.requests-per-second");

            for (String path : new String[] {
                "/%61pi/v1/session",
                "/api/v1/domains/sqlx/policies",
                "/api/v1/domains/shop/sql/transactions",
                "/actuator/prometheus",
                "/v3/api-docs"
            }) {
                assertThat(untilRefused(service, path).status()).as(path).isEqualTo(429);
            }
            assertThat(service.post("/domains/shop/sql", "{\"sql\": \"SELECT 1\"}")
                            .status())
                    .as("statements are bounded at the gate")
                    .isEqualTo(404);

            String cookie = setCookie.substring(0, setCookie.indexOf(';'));
            assertThat(service.sendAnonymous("GET", "/api/v1/session", null, "Cookie", cookie)
                            .status())
                    .isEqualTo(200);
            assertThat(service.sendAnonymous("GET", "/", null).status()).isNotEqualTo(429);
            assertThat(service.sendAnonymous("GET", "/actuator/health", null).status())
                    .isEqualTo(200);
        }
    }

    /** One token opens sessions without end. */
    @Test
    void theSessionsOfATokenShareARate() throws IOException {
        try (Service service = Service.start(data, "--headgate.limits.requests-per-second=5")) {
            String[] cookies = new String[2];
            for (int i = 0; i < cookies.length; i++) {
                String set = service.post("/session", null).expect(204).header("Set-Cookie");
                cookies[i] = set.substring(0, set.indexOf(';'));
            }
            int status = 200;
            for (int i = 0; i < MOST && status == 200; i++) {
                status = asked(service, cookies[0]).status();
            }
            assertThat(status).isEqualTo(429);
            long refusedAt = System.nanoTime();
            String quota = asked(service, cookies[1]).header("RateLimit");
            double regained = 5 * (System.nanoTime() - refusedAt) / 1e9;
            Matcher remaining = Pattern.compile("\"requests\";r=([0-9]+);.*").matcher(quota);
            assertThat(remaining.matches()).as(quota).isTrue();
            assertThat(Integer.parseInt(remaining.group(1))).isLessThanOrEqualTo((int) Math.ceil(regained));
        }
    }

    /** The rate goes on while the test runs, so a request may be allowed now and then; one that is not counted always is. */
    private static Service.Answer untilRefused(Service service, String path) {
        Service.Answer answer = service.send("GET", path, null);
        for (int i = 1; i < MOST && answer.status() != 429; i++) {
            answer = service.send("GET", path, null);
        }
        return answer;
    }

    private static Service.Answer asked(Service service, String cookie) {
        return service.sendAnonymous("GET", "/api/v1/session", null, "Cookie", cookie);
    }
}
