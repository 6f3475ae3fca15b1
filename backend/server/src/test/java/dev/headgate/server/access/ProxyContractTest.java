package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reverse proxy says about its client, believed and not. The tests' client is the proxy. */
class ProxyContractTest {

    @TempDir
    Path data;

    @Test
    void aTrustedProxyTellsItsClientsAddressAndScheme() throws IOException {
        try (Service service = Service.start(data, "--headgate.access.trusted-proxies=127.0.0.1,::1")) {
            Service.Answer opened = openSession(service);
            assertThat(opened.expect(204).header("Set-Cookie")).contains("Secure");
            assertThat(opened.header("Strict-Transport-Security")).contains("max-age");

            fail(service);
            assertThat(lastRemote(service)).isEqualTo("203.0.113.7");
        }
    }

    @Test
    void theConnectionsOfATrustedProxyAreNotBounded() throws IOException {
        try (Service service = Service.start(
                        data,
                        "--headgate.access.trusted-proxies=127.0.0.1",
                        "--headgate.limits.connections-per-address=1");
                Socket idle =
                        new Socket(service.root().getHost(), service.root().getPort())) {
            service.get("/session").expect(200);

            idle.setSoTimeout(200);
            assertThatThrownBy(() -> idle.getInputStream().read())
                    .as("open, with nothing to read")
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    /** It may have as many as all, and no more: else it takes all that Tomcat takes, and nobody is answered. */
    @Test
    @Timeout(60)
    void theConnectionsOfATrustedProxyCountWithAll() throws IOException {
        List<Socket> slow = new ArrayList<>();
        try (Service service = Service.start(
                data, "--headgate.access.trusted-proxies=127.0.0.1", "--server.tomcat.max-connections=40")) {
            for (int i = 0; i < 100; i++) {
                Socket socket =
                        new Socket(service.root().getHost(), service.root().getPort());
                slow.add(socket);
                socket.getOutputStream()
                        .write("GET /actuator/health HTTP/1.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
            }
            service.get("/session").expect(200);
        } finally {
            for (Socket each : slow) {
                each.close();
            }
        }
    }

    @Test
    void nobodyElseIsBelieved() throws IOException {
        try (Service service = Service.start(data)) {
            Service.Answer opened = openSession(service);
            assertThat(opened.expect(204).header("Set-Cookie")).doesNotContain("Secure");

            fail(service);
            assertThat(lastRemote(service)).isEqualTo("127.0.0.1");
        }
    }

    @Test
    void aProxyThatIsNoAddressKeepsTheServiceFromStarting() {
        assertThatThrownBy(() -> Service.run(data, "--headgate.access.trusted-proxies=no address"))
                .hasStackTraceContaining("trusted-proxies");
    }

    private static Service.Answer openSession(Service service) {
        return service.sendAnonymous(
                "POST",
                "/api/v1/session",
                null,
                "Authorization",
                "Bearer " + service.token(),
                "X-Forwarded-For",
                "203.0.113.7",
                "X-Forwarded-Proto",
                "https");
    }

    private static void fail(Service service) {
        service.sendAnonymous(
                "GET", "/api/v1/domains", null, "Authorization", "Bearer wr0ng", "X-Forwarded-For", "203.0.113.7");
    }

    /** Of the failed login, which is written after its answer. */
    private static String lastRemote(Service service) {
        return await().atMost(Service.PATIENCE)
                .until(
                        () -> service.get("/audit?action=access.login-failed")
                                .expect(200)
                                .json()
                                .get("items"),
                        items -> !items.isEmpty())
                .get(0)
                .get("remote")
                .asString();
    }
}
