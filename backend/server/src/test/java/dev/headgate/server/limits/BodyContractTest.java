package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyContractTest {

    private static final String JSON = "application/json";
    private static final int MOST = 1 << 20;
    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @Test
    void aLargerBodyThanAllowedIsRefusedWithOrWithoutALength() {
        byte[] large = ("{\"name\": \"a\"" + " ".repeat(MOST) + "}").getBytes(StandardCharsets.UTF_8);
        for (Answer answer : new Answer[] {
            service.upload("/databases", large, JSON),
            service.chunked("/databases", large, JSON),
            service.chunked("/files/diff", large, "application/yaml")
        }) {
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(answer.problem()).isEqualTo("payload-too-large");
            assertThat(answer.json().get("detail").asString()).contains("headgate.limits.body");
        }
    }

    /** Nobody reads all of it, and the connection ends. Its sender must have the whole answer by then, or takes it for a broken one. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theRefusalOfAMuchLargerBodyIsWhole(boolean chunked) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream()
                    .write(("""
                            POST /api/v1/domains HTTP/1.1\r
                            Host: localhost\r
                            Authorization: Bearer %s\r
                            Content-Type: application/json\r
                            %s\r
                            \r
                            """.formatted(
                                            service.token(),
                                            chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + 4 * MOST))
                            .getBytes(StandardCharsets.US_ASCII));
            if (chunked) {
                socket.getOutputStream().write("%x\r\n".formatted(4 * MOST).getBytes(StandardCharsets.US_ASCII));
            }
            byte[] body = new byte[4 * MOST];
            Arrays.fill(body, (byte) ' ');
            socket.getOutputStream().write(body);
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer)
                    .startsWith("HTTP/1.1 413 ")
                    .contains("\r\nTransfer-Encoding: chunked\r\n")
                    .contains("payload-too-large")
                    .endsWith("}\r\n0\r\n\r\n");
        }
    }

    @Test
    void aBodyOfTheSizeAllowedIsRead() {
        byte[] most = ("{\"nmae\": 1" + " ".repeat(MOST - 11) + "}").getBytes(StandardCharsets.UTF_8);
        assertThat(most).hasSize(MOST);
        assertThat(service.chunked("/databases", most, JSON).fault("/nmae")).startsWith("is not a field");
    }

    @Test
    void aConnectionGoesOnAfterABodyThatNobodyReads() throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream().write(("""
                    POST /api/v1/databases HTTP/1.1\r
                    Host: localhost\r
                    Content-Length: 5\r
                    \r
                    abcdeGET /actuator/health/liveness HTTP/1.1\r
                    Host: localhost\r
                    Connection: close\r
                    \r
                    """).getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 401 ")
                    .contains("HTTP/1.1 200 ");
        }
    }

    @Test
    void depthLengthAndNumbersAreBounded() {
        refused("{\"name\": \"" + "a".repeat(1_010_000) + "\"}", "");
        refused("{\"budget\": 1" + "0".repeat(200_000) + "}", "");
        refused("{\"" + "n".repeat(200_000) + "\": 1}", "");
        assertThat(service.post("/databases", "{\"name\": " + "[".repeat(100_000))
                        .status())
                .isEqualTo(400);
        Answer deep = service.put(
                "/databases/main/policies",
                "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": " + "{\"a\":".repeat(1_000) + "1"
                        + "}".repeat(1_002) + "]}",
                "If-Match",
                "\"0\"");
        assertThat(deep.problem()).isEqualTo("malformed-request");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"name\": 5}|/name",
                "{\"name\": true}|/name",
                "{\"name\": 1.5}|/name",
                "{\"port\": \"5\"}|/port",
                "{\"port\": 1.5}|/port",
                "{\"port\": 5.0}|/port",
                "{\"port\": true}|/port",
                "{\"port\": \"\"}|/port",
                "{\"port\": 99999999999}|/port",
                "{\"port\": []}|/port",
                "{\"port\": 1, \"port\": 2}|",
                "{\"port\": 1} {}|",
                "[]|",
                "'\"\"'|",
                "null|",
            })
    void noTypeIsTakenForAnotherAndNoKeyTwice(String body, String pointer) {
        refused(body, pointer == null ? "" : pointer);
    }

    @Test
    void aTruthValueIsNoNumber() {
        for (String value : new String[] {"0", "1", "\"true\""}) {
            Answer answer = service.post("/databases/main/policies/plan", "{\"policies\": " + value + "}");
            assertThat(answer.problem()).isEqualTo("malformed-request");
        }
    }

    @Test
    void aKeyTwiceInAPoliciesParametersIsRefused() {
        Answer answer = service.put(
                "/databases/main/policies",
                "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"min\": 2}}]}",
                "If-Match",
                "\"0\"");
        assertThat(answer.problem()).isEqualTo("malformed-request");
    }

    private static void refused(String body, String pointer) {
        Answer answer = service.post("/databases", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("malformed-request");
        assertThat(answer.fault(pointer)).as(answer.text()).isNotNull();
    }
}
