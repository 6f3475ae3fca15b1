package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What Neon's driver does not try: the driver itself is tested in {@code clients/serverless}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NeonContractTest {

    private static final String ORIGIN = "https://shop.example.org";

    @TempDir
    static Path data;

    private Service service;
    private String right;

    @BeforeAll
    void open() throws IOException {
        service = Service.start(
                data, "--headgate.access.allowed-origins=" + ORIGIN, "--headgate.access.trusted-proxies=127.0.0.1");
        service.post("/databases", service.databaseBody("main", 10)).expect(201);
        service.domain("shop", "[]");
        String password = service.client("shop", "web");
        right = "postgresql://web:" + password + "@db.example.org/shop";
    }

    @AfterAll
    void close() {
        service.close();
    }

    private Answer query(String connection, String body, String... headers) {
        return send("/sql", connection, body, headers);
    }

    private Answer send(String path, String connection, String body, String... headers) {
        String[] all = java.util.stream.Stream.concat(
                        java.util.Arrays.stream(headers),
                        java.util.stream.Stream.of("Neon-Connection-String", connection, "Content-Type", "text/plain"))
                .toArray(String[]::new);
        return service.sendAnonymous("POST", path, body, all);
    }

    @Test
    void valuesAreJsonUnlessTextsAreAskedFor() {
        String body = "{\"query\": \"SELECT 1 AS a, 'x'::text AS b, ARRAY[1,2] AS c\"}";
        assertThat(query(right, body).expect(200).json().get("rows").toString())
                .isEqualTo("[{\"a\":1,\"b\":\"x\",\"c\":[1,2]}]");
        assertThat(query(right, body, "Neon-Raw-Text-Output", "true", "Neon-Array-Mode", "true")
                        .expect(200)
                        .json()
                        .get("rows")
                        .toString())
                .isEqualTo("[[\"1\",\"x\",\"{1,2}\"]]");
    }

    /** The driver sends no type of its own, and other programs that of their library. Whether MVC has read the request plays no part. */
    @ParameterizedTest
    @ValueSource(strings = {"application/x-www-form-urlencoded", "text/plain;charset=ISO-8859-1", "application/json"})
    void aBodyMayHaveAnyType(String type) {
        String body = "{\"query\": \"SELECT 'é' AS a\"}";
        List<String> plain = List.of("Neon-Connection-String", right, "Content-Type", type);
        List<String> withMvc = Stream.concat(plain.stream(), Stream.of("Content-Encoding", "identity"))
                .toList();
        for (List<String> headers : List.of(plain, withMvc)) {
            assertThat(service.sendAnonymous("POST", "/sql", body, headers.toArray(String[]::new))
                            .expect(200)
                            .json()
                            .at("/rows/0/a")
                            .asString())
                    .isEqualTo("é");
        }
    }

    @Test
    void whoeverSpellsThePathOtherwiseLogsInTheSame() {
        String body = "{\"query\": \"SELECT 1\"}";
        assertThat(service.sendAnonymous("POST", "/%73ql", body).expect(400).text())
                .contains("08001");
        assertThat(service.sendAnonymous(
                                "POST", "/%73ql", body, "Neon-Connection-String", "postgresql://web:wrong@h/shop")
                        .expect(401)
                        .text())
                .contains("28P01");
    }

    @Test
    void aBatchSaysItsModes() {
        Answer answer = query(
                        right,
                        "{\"queries\": [{\"query\": \"SHOW transaction_read_only\"}, {\"query\": \"SHOW transaction_deferrable\"}]}",
                        "Neon-Batch-Isolation-Level",
                        "Serializable",
                        "Neon-Batch-Read-Only",
                        "true",
                        "Neon-Batch-Deferrable",
                        "true")
                .expect(200);
        assertThat(answer.json().get("results").get(1).get("rows").toString()).contains("on");
        assertThat(answer.header("Neon-Batch-Isolation-Level")).isEqualTo("Serializable");
        assertThat(answer.header("Neon-Batch-Read-Only")).isEqualTo("true");
        assertThat(query(right, "{\"queries\": [{\"query\": \"SELECT 1\"}]}", "Neon-Batch-Isolation-Level", "Chaos")
                        .expect(400)
                        .text())
                .contains("RepeatableRead");
    }

    /** Otherwise the queries before a COMMIT would be kept though one after it fails. */
    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "; /* a */ end", "ROLLBACK", "BEGIN", "PREPARE TRANSACTION 'a'"})
    void noQueryOfABatchLeavesItsTransaction(String leaving) {
        query(right, "{\"query\": \"CREATE TABLE IF NOT EXISTS neon_whole (i int)\"}")
                .expect(200);
        String queries =
                "{\"queries\": [{\"query\": \"INSERT INTO neon_whole VALUES (1)\"}, {\"query\": \"%s\"}, {\"query\": \"SELECT 1/0\"}]}";
        assertThat(query(right, queries.formatted(leaving)).expect(400).text()).contains("a batch is one transaction");
        assertThat(query(right, "{\"query\": \"SELECT count(*)::int AS n FROM neon_whole\"}")
                        .expect(200)
                        .text())
                .contains("\"n\":0");
        query(right, "{\"query\": \"DROP TABLE neon_whole\"}").expect(200);
    }

    @Test
    void theCommandIsTheFirstWordOfTheTagAsNeonTellsIt() {
        JsonNode created = query(right, "{\"query\": \"CREATE TABLE IF NOT EXISTS neon_commands (i int)\"}")
                .expect(200)
                .json();
        assertThat(created.get("command").asString()).isEqualTo("CREATE");
        assertThat(created.get("rowCount").isNull()).isTrue();
        JsonNode inserted = query(right, "{\"query\": \"INSERT INTO neon_commands VALUES (1), (2)\"}")
                .expect(200)
                .json();
        assertThat(inserted.get("command").asString()).isEqualTo("INSERT");
        assertThat(inserted.get("rowCount").asInt()).isEqualTo(2);
        query(right, "{\"query\": \"DROP TABLE neon_commands\"}").expect(200);
    }

    /** A program that makes its batch of a list has none at times, and Neon takes that. */
    @Test
    void aBatchMayHaveNoQueryAndAThousand() {
        assertThat(query(right, "{\"queries\": []}").expect(200).text()).isEqualTo("{\"results\":[]}");
        assertThat(query(right, batch(1_000)).expect(200).json().get("results").size())
                .isEqualTo(1_000);
        assertThat(query(right, batch(1_001)).expect(400).text()).contains("at most 1000");
    }

    private static String batch(int size) {
        return IntStream.range(0, size)
                .mapToObj(i -> "{\"query\": \"SELECT " + i + "\"}")
                .collect(Collectors.joining(",", "{\"queries\": [", "]}"));
    }

    @Test
    void whatIsWrongIsSaidInTheDriversForm() {
        assertThat(query(right, "{\"query\": \"SELECT 1/0\"}")
                        .expect(400)
                        .json()
                        .get("code")
                        .asString())
                .isEqualTo("22012");
        assertThat(query(right, "{\"query\": ").expect(400).text()).contains("cannot be read");
        assertThat(query(right, "{\"query\": Sommer2026geheim}").expect(400).text())
                .contains("cannot be read: it is not JSON: line 1", "was expecting")
                .doesNotContain("geheim");
        for (String body : new String[] {"{}", "null", "{\"queries\": [null]}"}) {
            assertThat(query(right, body).expect(400).text()).contains("a query is missing");
        }
        assertThat(query("mysql://x", "{}").expect(400).text()).contains("postgresql://USER:PASSWORD@HOST/DOMAIN");
        assertThat(service.sendAnonymous("POST", "/sql", "{}").status()).isEqualTo(400);
        service.sendAnonymous("GET", "/sql", null).expect(405);
    }

    /** The driver waits for the whole answer, and reads the fields of an error only if its status says so. */
    @Test
    void aLateErrorOfAShortAnswerHasItsFields() {
        query(right, "{\"query\": \"CREATE TABLE IF NOT EXISTS neon_held (id int PRIMARY KEY)\"}")
                .expect(200);
        String inserts = IntStream.range(0, 300)
                .mapToObj(i -> "{\"query\": \"INSERT INTO neon_held VALUES (" + i % 299 + ")\"}")
                .collect(Collectors.joining(","));
        assertThat(query(right, "{\"queries\": [" + inserts + "]}")
                        .expect(400)
                        .json()
                        .get("code")
                        .asString())
                .isEqualTo("23505");
        assertThat(query(
                                right,
                                "{\"query\": \"SELECT repeat('x', 100), 1/(i-300) FROM generate_series(1, 1000) AS i\"}")
                        .expect(400)
                        .json()
                        .get("code")
                        .asString())
                .isEqualTo("22012");
        query(right, "{\"query\": \"DROP TABLE neon_held\"}").expect(200);
    }

    @Test
    void whatIsRefusedBeforeItIsReadIsSaidInTheDriversForm() {
        String body = "{\"query\": \"" + "x".repeat(1 << 20) + "\"}";
        Answer large = query(right, body).expect(507);
        assertThat(large.json().get("message").asString()).contains("headgate.limits.body");
        for (Answer refused : List.of(
                send("/sql?x=1", right, "{\"query\": \"SELECT 1\"}"),
                query(right, "{\"query\": \"SELECT 1\"}", "If-Match", "\"7\""),
                query(right, "{\"query\": \"SELECT 1\"}", "Idempotency-Key", "7"))) {
            assertThat(refused.expect(400).json().get("code").asString()).isEqualTo("22023");
        }
    }

    /** The console's user is the administrator, and no domain's client. */
    @Test
    void theConsoleIsNoDatabase() {
        query("postgresql://admin:" + service.token() + "@x/headgate", "{\"query\": \"SHOW DOMAINS\"}")
                .expect(401);
    }

    @Test
    void aStrangerSendsNoLongBodyAndGuessesNotForEver() throws IOException {
        try (Service other = Service.start(data.resolve("other"))) {
            String wrong = "postgresql://web:wrong@db.example.org/shop";
            for (int i = 0; i < 10; i++) {
                other.sendAnonymous("POST", "/sql", "x".repeat(100_000), "Neon-Connection-String", wrong)
                        .expect(401);
            }
            Answer slowed = other.sendAnonymous("POST", "/sql", "{}", "Neon-Connection-String", wrong)
                    .expect(429);
            assertThat(slowed.header("Retry-After")).isNotNull();
        }
    }

    /** The driver sends its authToken so. */
    @Test
    void aBearerIsNotTakenForAGuessOfOurToken() throws IOException {
        try (Service other = Service.start(data.resolve("bearer"))) {
            for (int i = 0; i < 12; i++) {
                Answer refused = other.sendAnonymous("POST", "/sql", "{}", "Authorization", "Bearer a.b.c")
                        .expect(400);
                assertThat(refused.json().get("code").asString()).isEqualTo("08001");
            }
            other.sendAnonymous("GET", "/api/v1/domains", null, "Authorization", "Bearer wrong")
                    .expect(401);
        }
    }

    /** Else a guess costs as much as ever, and the right one gets in. */
    @Test
    void aSlowedAddressHasNoPasswordCheckedButGoesOnWithWhatWasRight() throws IOException {
        try (Service other = Service.start(data.resolve("slowed"))) {
            other.post("/databases", other.databaseBody("main", 10)).expect(201);
            other.domain("shop", "[]");
            String known = connection(other, "known");
            String guessed = connection(other, "guessed");
            String body = "{\"query\": \"SELECT 1\"}";
            other.sendAnonymous("POST", "/sql", body, "Neon-Connection-String", known)
                    .expect(200);
            for (int i = 0; i < 10; i++) {
                other.sendAnonymous("POST", "/sql", body, "Neon-Connection-String", "postgresql://web:wrong@h/shop")
                        .expect(401);
            }
            other.sendAnonymous("POST", "/sql", body, "Neon-Connection-String", guessed)
                    .expect(429);
            other.sendAnonymous("POST", "/sql", body, "Neon-Connection-String", known)
                    .expect(200);
        }
    }

    private static String connection(Service of, String user) {
        String password = of.client("shop", user);
        return "postgresql://" + user + ":" + password + "@db.example.org/shop";
    }

    @Test
    void aDeletedClientIsRefusedAtOnce() {
        String password = service.client("shop", "brief");
        String brief = "postgresql://brief:" + password + "@x/shop";
        query(brief, "{\"query\": \"SELECT 1\"}").expect(200);
        service.delete("/domains/shop/clients/brief").expect(204);
        query(brief, "{\"query\": \"SELECT 1\"}").expect(401);
    }

    @Test
    void pagesOfConfiguredOriginsMayCallIt() {
        Answer asked = service.sendAnonymous(
                "OPTIONS",
                "/sql",
                null,
                "Origin",
                ORIGIN,
                "Access-Control-Request-Method",
                "POST",
                "Access-Control-Request-Headers",
                "neon-connection-string,neon-raw-text-output");
        asked.expect(200);
        assertThat(asked.header("Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
        assertThat(asked.header("Access-Control-Max-Age")).isEqualTo("86400");
        assertThat(query(right, "{\"query\": \"SELECT 1\"}", "Origin", ORIGIN)
                        .expect(200)
                        .header("Access-Control-Allow-Origin"))
                .isEqualTo(ORIGIN);
        assertThat(query(right, "{\"query\": \"SELECT 1\"}", "Origin", ORIGIN)
                        .expect(200)
                        .header("Access-Control-Expose-Headers"))
                .as("a page may read when to come again")
                .contains("Retry-After");
        assertThat(query("postgresql://web:wrong@h/shop", "{\"query\": \"SELECT 1\"}", "Origin", ORIGIN)
                        .expect(401)
                        .header("Access-Control-Allow-Origin"))
                .as("a page reads why it is refused")
                .isEqualTo(ORIGIN);
        query(right, "{\"query\": \"SELECT 1\"}", "Origin", "https://evil.example.org")
                .expect(403);
    }

    @Test
    void aPackedBodyIsRefusedAsOne() {
        Answer answer = query(right, "{\"query\": \"SELECT 1\"}", "Content-Encoding", "gzip")
                .expect(415);
        assertThat(answer.json().get("code").asString()).isEqualTo("0A000");
        assertThat(answer.text()).contains("Content-Encoding: gzip");
    }

    @Test
    void aSocketFromAfarIsRefusedWithoutTls() throws IOException {
        assertThat(handshake("X-Forwarded-For: 203.0.113.7"))
                .startsWith("HTTP/1.1 403")
                .contains("application/problem+json")
                .contains("only under TLS");
    }

    @Test
    void pagesOfConfiguredOriginsMayOpenASocket() throws IOException {
        assertThat(handshake("Origin: " + ORIGIN)).startsWith("HTTP/1.1 101");
        assertThat(handshake("Origin: https://evil.example.org"))
                .startsWith("HTTP/1.1 403")
                .contains("application/problem+json");
    }

    /** All that the service answers to a handshake with this header. */
    private String handshake(String header) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream()
                    .write(("GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                                    + header + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void aConnectionStringHidesItsPassword() {
        ConnectionString parsed = ConnectionString.parse("postgres://we%40b:se%2Fcret+@x:5432/shop?sslmode=require");
        assertThat(parsed).isEqualTo(new ConnectionString("we@b", "se/cret+", "shop"));
        assertThat(parsed.toString()).doesNotContain("se/cret");
        assertThat(ConnectionString.parse("postgresql://web:p^|{}@\"<>` @my_host/shop?application_name=a b"))
                .isEqualTo(new ConnectionString("web", "p^|{}@\"<>` ", "shop"));
        for (String wrong :
                List.of("postgresql://web:%zz@x/shop", "postgresql://web@x:5432/shop", "postgresql://web:p@x")) {
            assertThatThrownBy(() -> ConnectionString.parse(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("zz");
        }
    }
}
