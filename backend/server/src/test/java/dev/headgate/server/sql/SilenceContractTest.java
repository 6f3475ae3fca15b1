package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Callers that read nothing, where {@code headgate.sql.silence} is a second. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SilenceContractTest {

    /** Less than Tomcat's own bound of 10 s. */
    private static final Duration SOON = Duration.ofSeconds(7);

    @TempDir
    static Path data;

    private Service service;
    private String login;

    @BeforeAll
    void open() throws IOException {
        service = Service.start(data, "--headgate.sql.silence=1s");
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
        service.domain("stalled", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 2}}]");
        String password = service.client("stalled", "idler");
        login = "postgresql://idler:" + password + "@headgate/stalled";
    }

    @AfterAll
    void close() {
        service.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/domains/stalled/sql | {\"sql\": \"MANY\"}",
                "/api/v1/sql/scatter | {\"branches\": [{\"domain\": \"stalled\", \"sql\": \"MANY\"}]}",
                "/sql | {\"query\": \"MANY\"}"
            })
    void aCallerThatReadsNothingHasNeitherALeaseNorMemoryForLong(String path, String form) throws IOException {
        String body = form.replace("MANY", "SELECT repeat('z', 1000) FROM generate_series(1, 10000000)");
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream()
                    .write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + service.token()
                                    + "\r\nNeon-Connection-String: " + login
                                    + "\r\nContent-Type: application/json\r\nContent-Length: "
                                    + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            Awaitility.await().atMost(Service.PATIENCE).until(() -> inUse() == 1);
            assertThat(reserved()).isPositive();
            service.post("/domains/stalled/sql", "{\"sql\": \"SELECT 1\"}").expect(200);
            Awaitility.await().atMost(SOON).until(() -> inUse() == 0);
            Awaitility.await().atMost(SOON).until(() -> reserved() == 0);
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200")
                    .doesNotContain("\"end\"");
        }
    }

    private int inUse() {
        return service.get("/domains/stalled/pool").json().get("inUse").asInt();
    }

    private long reserved() {
        return service.bean(MemoryAccount.class).lines().stream()
                .filter(line -> line.holder().equals("http"))
                .mapToLong(MemoryAccount.Line::reserved)
                .sum();
    }
}
