package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/api/v1/session", "/api/v1/domains", "/api/v1/audit", "/v3/api-docs", "/actuator/prometheus"})
    void nothingIsToldWithoutAToken(String path) {
        Service.Answer answer = service.sendAnonymous("GET", path, null);
        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.problem()).isEqualTo("unauthenticated");
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer wrong", "Basic YWRtaW46YWRtaW4=", "Bearer", ""})
    void aWrongTokenIsNoToken(String authorization) {
        assertThat(service.sendAnonymous("GET", "/api/v1/domains", null, "Authorization", authorization)
                        .status())
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness"})
    void healthIsOpen(String path) {
        assertThat(service.sendAnonymous("GET", path, null).status()).isEqualTo(200);
    }

    @Test
    void theSessionTellsWhoIsAsking() {
        assertThat(service.get("/session").expect(200).text())
                .isEqualTo(
                        "{\"name\":\"admin\",\"role\":\"administrator\",\"node\":\"headgate-1\",\"version\":\"0.1.0\"}");
    }

    @Test
    void theBodyOfALoginIsAnObjectOrNone() {
        Service.Answer refused = service.post("/session", "null").expect(400);
        assertThat(refused.problem()).isEqualTo("malformed-request");
        assertThat(refused.fault("")).isEqualTo("is null | a JSON object");
        service.chunked("/session", "null".getBytes(StandardCharsets.UTF_8), "application/json")
                .expect(400);
        service.post("/session", "{}").expect(204);
    }

    @Test
    void aBrowserExchangesTheTokenForACookieAndCanEndIt() {
        Service.Answer opened = service.post("/session", null).expect(204);
        String setCookie = opened.header("Set-Cookie");
        assertThat(setCookie).contains("HttpOnly").contains("SameSite=Strict").contains("Path=/");
        assertThat(setCookie).doesNotContain(service.token());
        String cookie = setCookie.substring(0, setCookie.indexOf(';'));
        String origin = service.root().toString();

        assertThat(service.sendAnonymous("GET", "/api/v1/domains", null, "Cookie", cookie)
                        .status())
                .isEqualTo(200);
        service.sendAnonymous("DELETE", "/api/v1/session", null, "Cookie", cookie, "Origin", origin)
                .expect(204);
        assertThat(service.sendAnonymous("GET", "/api/v1/domains", null, "Cookie", cookie)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void aCodeOpensOneSessionWithoutTheToken() {
        Service.Answer issued = service.post("/session/codes", null).expect(201);
        String body = "{\"code\":\"" + issued.json().get("code").asString() + "\"}";
        assertThat(issued.text()).doesNotContain(service.token());

        String setCookie = service.sendAnonymous("POST", "/api/v1/session", body)
                .expect(204)
                .header("Set-Cookie");
        String cookie = setCookie.substring(0, setCookie.indexOf(';'));
        assertThat(service.sendAnonymous("GET", "/api/v1/domains", null, "Cookie", cookie)
                        .status())
                .isEqualTo(200);

        Service.Answer again = service.sendAnonymous("POST", "/api/v1/session", body);
        assertThat(again.status()).isEqualTo(401);
        assertThat(again.problem()).isEqualTo("unauthenticated");
        assertThat(again.text()).contains("./headgate login").contains("/code");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"code\":null}", "{\"code\":\"\"}"})
    void aSessionIsNotOpenedForNothing(String body) {
        assertThat(service.sendAnonymous("POST", "/api/v1/session", body).status())
                .isEqualTo(401);
        assertThat(service.sendAnonymous("POST", "/api/v1/session/codes", null).status())
                .isEqualTo(401);
    }

    /** Whoever got one once would have it renewed for ever, also after it was ended. */
    @Test
    void aSessionOpensNoSession() {
        String setCookie = service.post("/session", null).expect(204).header("Set-Cookie");
        String cookie = setCookie.substring(0, setCookie.indexOf(';'));
        String origin = service.root().toString();
        assertThat(service.sendAnonymous("POST", "/api/v1/session", null, "Cookie", cookie, "Origin", origin)
                        .expect(401)
                        .header("Set-Cookie"))
                .isNull();
        assertThat(service.sendAnonymous("GET", "/api/v1/domains", null, "Cookie", cookie)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aCookieAloneChangesNothingWithoutAnOrigin() {
        String setCookie = service.post("/session", null).expect(204).header("Set-Cookie");
        String cookie = setCookie.substring(0, setCookie.indexOf(';'));

        Service.Answer answer = service.sendAnonymous("POST", "/api/v1/domains", "{}", "Cookie", cookie);
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.problem()).isEqualTo("origin-refused");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://evil.example", "http://127.0.0.1:1", "null"})
    void aPageFromElsewhereIsRefusedEvenWithTheToken(String origin) {
        Service.Answer answer = service.get("/domains", "Origin", origin);
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.problem()).isEqualTo("origin-refused");
        assertThat(answer.json().get("detail").asString()).contains(origin);
    }

    @Test
    void aHandshakeFromElsewhereIsRefused() {
        Service.Answer answer = service.sendAnonymous("GET", "/api/v1/stream", null, "Origin", "https://evil.example");
        assertThat(answer.status()).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "evil.example,403",
        "headgate.evil.example:8080,403",
        "localhost:8080,200",
        "127.0.0.1,200",
        "[::1]:8080,200",
        "10.1.2.3:8080,200",
        "127.0.0.1.evil.example,403",
    })
    void onlyOurOwnNamesAreAnswered(String host, int status) throws IOException {
        assertThat(statusFor(host)).isEqualTo(status);
    }

    @Test
    void everyAnswerTellsBrowsersToBeCareful() {
        Service.Answer answer = service.get("/domains");
        assertThat(answer.header("Content-Security-Policy"))
                .contains("frame-ancestors 'none'")
                .contains("script-src 'self'");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(answer.header("Server")).isNull();
    }

    private static int statusFor(String host) throws IOException {
        try (Socket socket = new Socket(
                java.net.InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream()
                    .write(("GET /actuator/health HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.split(" ")[1]);
        }
    }
}
