package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import dev.headgate.server.Service.Answer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParametersContractTest {

    private static final String LOAD = """
            {"domain": "loaded", "running": false, "ratePerSecond": 0.1,
             "transactions": [{"name": "one", "statements": ["SELECT 1"]}]}""";

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/domains?limt=1",
                "/databases/main?x",
                "/audit?=x",
                "/audit?limit=1&limt=2",
                "/audit?limit=1&limit=2",
                "/decisions?from=0000-01-01T00:00:00Z",
                "/decisions?to=%2B999999999-12-31T23:59:59Z",
                "/decisions?from=yesterday",
                "/decisions?domain=a%00b",
                "/decisions?domain=%ff",
                "/domains?limit=0x10",
                "/domains?limit=1%200",
                "/domains?limit=%2B10",
                "/domains/none/policies/shadow?optional=yes",
                "/experiments/runs/none/report.md?pictures=1",
                "/sql/requests/none/result?offset=010",
            })
    void aParameterThatIsUnknownTwiceOrOutOfRangeIsRefused(String path) {
        Answer answer = service.get(path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
        assertThat(answer.problem()).isEqualTo("malformed-request");
    }

    /** Else whoever sends it again executes it again. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/domains/none/sql/transactions",
                "/domains/none/sql/transactions/none",
                "/domains/none/sql/transactions/none/commit",
                "/sql/scatter",
                "/domains"
            })
    void aKeyThatNobodyLooksAtIsRefused(String path) {
        Answer answer = service.post(path, "{}", "Idempotency-Key", "k").expect(400);
        assertThat(answer.problem()).isEqualTo("malformed-request");
        assertThat(answer.json().get("detail").asString()).startsWith("Idempotency-Key is not honoured here");
    }

    /** Whoever asks for a guard in a body that nobody reads would get none. */
    @ParameterizedTest
    @CsvSource({
        "POST,/domains/none/policies/revisions/1/restore",
        "POST,/domains/none/pause",
        "POST,/session/codes",
        "POST,/long-requests/none/cancel",
        "DELETE,/domains/none"
    })
    void aBodyThatNobodyReadsIsRefused(String method, String path) {
        Answer answer = service.send(method, "/api/v1" + path, "{\"guard\": \"p99Ms:50,within:60s\"}")
                .expect(400);
        assertThat(answer.problem()).isEqualTo("malformed-request");
        assertThat(answer.json().get("detail").asString()).startsWith("This operation reads no body");
        assertThat(service.send(method, "/api/v1" + path, "").status())
                .as("an empty one is none")
                .isNotEqualTo(400);
    }

    @Test
    void aMisspeltGuardAppliesNothing() {
        service.domain("guarded", "[]");
        Answer answer = service.put("/domains/guarded/policies?gaurd=waits", "{\"policies\": []}", "If-Match", "\"1\"");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().get("detail").asString())
                .isEqualTo("'gaurd' is not a query parameter of this operation; allowed: guard.");
        assertThat(service.get("/domains/guarded/policies")
                        .json()
                        .get("revision")
                        .asInt())
                .isEqualTo(1);
        service.delete("/domains/guarded").expect(204);
    }

    /** Two have read the same settings: the second does not undo what the first has changed. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/domains/matched | {\"description\": \"first\"} | {\"description\": \"second\"}",
                "/databases/matched | {\"budget\": 3} | {\"budget\": 4}"
            })
    void aChangeThatSomebodyElseHasOvertakenIsRefused(String path, String first, String second) {
        service.post("/databases", service.databaseBody("matched", 2)).expect(201);
        service.post("/domains", "{\"name\": \"matched\", \"database\": \"matched\"}")
                .expect(201);
        try {
            String read = service.get(path).expect(200).header("ETag");
            Answer changed = service.patch(path, first, "If-Match", read).expect(200);
            Answer overtaken = service.patch(path, second, "If-Match", read);
            assertThat(overtaken.status()).as(overtaken.text()).isEqualTo(412);
            assertThat(overtaken.problem()).isEqualTo("stale-revision");
            Answer kept = service.send("DELETE", "/api/v1" + path, null, "If-Match", read);
            assertThat(kept.status()).as(kept.text()).isEqualTo(412);
            assertThat(service.get(path).header("ETag"))
                    .isEqualTo(changed.header("ETag"))
                    .isNotEqualTo(read);
            assertThat(service.patch(path, first).expect(200).header("ETag"))
                    .as("what changes nothing overtakes nobody")
                    .isEqualTo(changed.header("ETag"));
            service.patch(path, second, "If-Match", changed.header("ETag")).expect(200);
            service.patch(path, first).expect(200);
            assertThat(service.patch(path, "{}", "If-Match", "8").status()).isEqualTo(400);
        } finally {
            for (String each : List.of("/domains/matched", "/databases/matched")) {
                String newest = service.get(each).header("ETag");
                service.send("DELETE", "/api/v1" + each, null, "If-Match", newest)
                        .expect(204);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"GET, /api/v1/domains", "GET, /api/v1/databases/main", "DELETE, /api/v1/domains/nobody/policies/shadow"
    })
    void ifMatchIsNeverPassedOver(String method, String path) {
        Answer answer = service.send(method, path, null, "If-Match", "\"7\"");
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.text()).contains("If-Match is not honoured here");
    }

    /** A caller who wants to make something and never to replace it would else replace it. */
    @ParameterizedTest
    @CsvSource({
        "POST, /api/v1/domains, If-None-Match, *",
        "POST, /api/v1/domains/none/sql, If-None-Match, *",
        "PATCH, /api/v1/domains/none, If-None-Match, *",
        "PUT, /api/v1/domains/none/policies, If-None-Match, *",
        "PUT, /api/v1/domains/none/policies/shadow, If-None-Match, *",
        "PUT, /api/v1/workloads/none, If-None-Match, '\"7\"'",
        "DELETE, /api/v1/domains/none, If-None-Match, '\"7\"'",
        "POST, /api/v1/domains/none/sql, If-Unmodified-Since, nonsense",
        "PATCH, /api/v1/domains/none, If-Unmodified-Since, 'Sun, 29 Nov 2026 08:00:00 GMT'",
        "DELETE, /api/v1/domains/none, If-Unmodified-Since, 'Sun, 29 Nov 2026 08:00:00 GMT'",
    })
    void aConditionOfAChangeIsNeverPassedOver(String method, String path, String header, String value) {
        String body = method.equals("DELETE") ? null : path.contains("workloads") ? LOAD : "{\"sql\": \"SELECT 1\"}";
        Answer answer = service.send(method, path, body, header, value);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("malformed-request");
        assertThat(answer.json().get("detail").asString()).startsWith(header);
    }

    /** Who reads asks by them for a shorter answer only, and may get the long one. */
    @ParameterizedTest
    @ValueSource(strings = {"If-None-Match", "If-Unmodified-Since"})
    void aConditionOfAReadMayBePassedOver(String header) {
        service.send("GET", "/api/v1/databases/main", null, header, "\"7\"").expect(200);
    }

    @Test
    void aLoadIsMadeAndNotReplacedWhereItMustNotBeThere() {
        service.domain("loaded", "[]");
        try {
            service.put("/workloads/first", LOAD, "If-None-Match", "*").expect(201);
            Answer second = service.put("/workloads/first", LOAD.replace("0.1", "0.2"), "If-None-Match", "*");
            assertThat(second.status()).as(second.text()).isEqualTo(412);
            assertThat(second.problem()).isEqualTo("stale-revision");
            assertThat(service.get("/workloads/first")
                            .json()
                            .get("ratePerSecond")
                            .asDouble())
                    .isEqualTo(0.1);
            service.put("/workloads/first", LOAD).expect(200);
        } finally {
            service.delete("/workloads/first");
            service.delete("/domains/loaded").expect(204);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/*",
                "*/*",
                "",
                "/",
                "a/b/c",
                "application/json, text/plain",
                "application/json;charset=IBM037",
                "application/json; charset=utf-16"
            })
    void aContentTypeThatIsNotOneTypeIsRefused(String type) {
        Answer answer = service.post("/domains", "{}", "Content-Type", type);
        assertThat(answer.status()).as(answer.text()).isEqualTo(415);
        assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
        assertThat(answer.problem()).isEqualTo("unsupported-media-type");
    }

    @Test
    void aContentTypeMaySayUtf8() {
        Answer answer = service.post("/domains", "{}", "Content-Type", "application/json; charset=\"UTF-8\"");
        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
    }

    /** A reader of YAML knows none of the rules for JSON: it takes a key twice, a number for a text, and no memory for the values. */
    @ParameterizedTest
    @CsvSource({
        "POST, /databases",
        "PATCH, /domains/a",
        "POST, /annotations",
        "POST, /session",
        "POST, /domains/a/policies/plan"
    })
    void yamlIsReadWhereItIsDeclaredAlone(String method, String path) {
        for (String type : new String[] {"application/yaml", "application/yaml;charset=utf-8", "application/x-yaml"}) {
            Answer answer = service.send(method, "/api/v1" + path, "name: 5\nname: !!str 6\n", "Content-Type", type);
            assertThat(answer.status()).as(answer.text()).isEqualTo(415);
            assertThat(answer.problem()).isEqualTo("unsupported-media-type");
        }
    }

    @Test
    void answersAreYamlWhereItIsDeclaredAlone() {
        Answer answer = service.get("/domains", "Accept", "application/yaml");
        assertThat(answer.status()).as(answer.text()).isEqualTo(406);
        assertThat(answer.problem()).isEqualTo("not-acceptable");
        assertThat(service.get("/files/export", "Accept", "application/yaml")
                        .expect(200)
                        .header("Content-Type"))
                .startsWith("application/yaml");
    }

    /** Read as it is, it would be told that it is malformed. */
    @ParameterizedTest
    @CsvSource({
        "/domains, application/json, gzip",
        "/domains, application/json, br",
        "/databases/main/policies/plan, application/json, gzip",
        "/domains/none/sql, application/json, gzip",
        "/files/diff, application/yaml, deflate",
        "/policy-plugins, application/java-archive, gzip",
        "/session, application/json, GZIP"
    })
    void aPackedBodyIsRefusedAsOne(String path, String type, String coding) {
        Answer answer = service.post(path, "{}", "Content-Type", type, "Content-Encoding", coding);
        assertThat(answer.status()).as(answer.text()).isEqualTo(415);
        assertThat(answer.problem()).isEqualTo("unsupported-media-type");
        assertThat(answer.json().get("detail").asString())
                .isEqualTo("The body is sent with Content-Encoding: " + coding
                        + "; no coding is read here. Send it plain.");
    }

    @Test
    void aBodyMaySayThatItIsNotPacked() {
        Answer answer = service.post("/domains", "{}", "Content-Encoding", "identity");
        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
    }

    /** Anyone may send it: this operation needs no token. */
    @ParameterizedTest
    @CsvSource({"POST,/api/v1/session", "PATCH,/api/v1/domains/a"})
    void aFormIsRefused(String method, String path) {
        Answer answer = service.send(
                method, path, "{\"code\":\"a\n\"}=%ff", "Content-Type", "application/x-www-form-urlencoded");
        assertThat(answer.status()).as(answer.text()).isEqualTo(415);
        assertThat(answer.problem()).isEqualTo("unsupported-media-type");
    }

    @ParameterizedTest
    @CsvSource({
        "QUERY, /domains",
        "PUT, /domains",
        "PROPFIND, /domains/none/pool",
        "POST, /audit",
        "MADE-UP, /session/codes"
    })
    void aMethodThatIsNotOfferedIsToldWhatIs(String method, String path) {
        Answer answer = service.send(method, "/api/v1" + path, null);
        assertThat(answer.status()).as(answer.text()).isEqualTo(405);
        assertThat(answer.problem()).isEqualTo("method-not-allowed");
        assertThat(answer.header("Allow")).containsAnyOf("GET", "POST");
        assertThat(service.sendAnonymous(method, "/api/v1" + path, null).status())
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/domains?limit=", "/audit?from=", "/domains/none/history?minutes="})
    void aParameterWithoutAValueIsRefused(String path) {
        Answer answer = service.get(path);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().get("detail").asString()).endsWith("has no value.");
    }

    @Test
    void aWebSocketIsOpenedByItsHandshakeAlone() {
        for (String path : new String[] {"/api/v1/stream", "/v2"}) {
            Answer plain = service.send("GET", path, null);
            assertThat(plain.status()).isEqualTo(400);
            assertThat(plain.header("Content-Type")).startsWith("application/problem+json");
            assertThat(plain.text()).contains("Upgrade: websocket");
            Answer posted = service.send("POST", path, "{}");
            assertThat(posted.status()).isEqualTo(405);
            assertThat(posted.problem()).isEqualTo("method-not-allowed");
            assertThat(posted.header("Allow")).isEqualTo("GET");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/stream?x, '', 400, 'allowed: none'",
        "/api/v1/stream, 'If-Match: \"7\"', 400, If-Match is not honoured here",
        "/api/v1/stream, 'Sec-WebSocket-Version: 12', 400, Sec-WebSocket-Version: 13",
        "/v2?adress=a:1, '', 400, allowed: address",
        "/v2?address=a:1, '', 101, websocket"
    })
    void aHandshakeIsAsItIsDeclared(String path, String header, int status, String said) throws IOException {
        assertThat(handshake(path, header))
                .startsWith("HTTP/1.1 " + status)
                .contains(said)
                .satisfiesAnyOf(
                        text -> assertThat(text).contains("application/problem+json"),
                        text -> assertThat(status).isEqualTo(101));
    }

    /** Rows must not be: their lengths would tell. Nor what a stranger asks for, who would take 300 kB by it. */
    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/stream", "/v2?address=a:1"})
    void framesAreNotCompressedForStrangersNorOfRows(String path) throws IOException {
        assertThat(handshake(path, "Sec-WebSocket-Extensions: permessage-deflate"))
                .startsWith("HTTP/1.1 101")
                .doesNotContainIgnoringCase("Sec-WebSocket-Extensions");
    }

    /** @return the answer, until its end */
    private static String handshake(String path, String header) throws IOException {
        String version = header.contains("Version") ? "" : "Sec-WebSocket-Version: 13\r\n";
        try (Socket socket = new Socket(
                java.net.InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream()
                    .write(("GET " + path
                                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + version + header
                                    + (header.isEmpty() ? "" : "\r\n") + "\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** UTF-8 has no form for half a character, so the control store would get a question mark; and PostgreSQL's texts hold no NUL. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "POST | /domains | {\"name\": \"half\", \"database\": \"main\", \"description\": \"a\\ud83d\"} | /description | half of a surrogate pair",
                "POST | /domains | {\"name\": \"half\", \"database\": \"main\", \"labels\": {\"a\": \"\\ude00b\"}} | /labels/a | half of a surrogate pair",
                "POST | /annotations | {\"text\": \"\\ude00\\ud83d\"} | /text | half of a surrogate pair",
                "POST | /domains/none/clients | {\"name\": \"a\", \"password\": \"12345678\\ud83d\"} | /password | half of a surrogate pair",
                "PUT | /domains/none/policies | {\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"mode\": \"\\ud83d\"}}]} | /policies/0/parameters/mode | half of a surrogate pair",
                "PUT | /domains/none/policies | {\"policies\": [], \"comment\": \"\\ud83d \\ude00\"} | /comment | half of a surrogate pair",
                "POST | /domains | {\"name\": \"nul\", \"database\": \"main\", \"description\": \"a\\u0000b\"} | /description | holds a NUL character",
                "POST | /annotations | {\"text\": \"\\u0000\"} | /text | holds a NUL character",
                "POST | /domains/none/clients | {\"name\": \"a\", \"password\": \"12345678\\u0000\"} | /password | holds a NUL character",
                "PUT | /domains/none/policies | {\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"mode\": \"\\u0000\"}}]} | /policies/0/parameters/mode | holds a NUL character",
                "POST | /domains/none/sql | {\"sql\": \"SELECT 1\\u0000\"} | /sql | holds a NUL character",
            })
    void aTextThatCannotBeKeptIsRefusedAtItsPlace(String method, String path, String body, String pointer, String why) {
        Answer answer = service.send(method, "/api/v1" + path, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.fault(pointer)).contains(why);
        assertThat(service.get("/domains/nul").status()).isEqualTo(404);
    }

    @Test
    void aPairIsOneCharacter() {
        String body = "{\"name\": \"pair\", \"database\": \"main\", \"description\": \"\\ud83d\\ude00\"}";
        assertThat(service.post("/domains", body)
                        .expect(201)
                        .json()
                        .get("description")
                        .asString())
                .isEqualTo("😀");
        service.delete("/domains/pair").expect(204);
    }

    @ParameterizedTest
    @CsvSource({
        "GET /api/v1/domains?a=<b> HTTP/1.1",
        "GET /api/v1/domains|x HTTP/1.1",
        "GET /api/v1/dom%zzains HTTP/1.1",
        "GET /api/v1/dom%00ains HTTP/1.1",
        "GET /api/v1/..%2f HTTP/1.1",
        "NONSENSE",
        "GET / HTTP/9.9",
        "CONNECT /api/v1/domains HTTP/1.1",
    })
    void aRequestLineThatIsNotHttpIsAProblem(String line) throws IOException {
        assertThat(raw(line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .matches("(?s)HTTP/1.1 400 .*")
                .doesNotContain("<html")
                .satisfiesAnyOf(
                        text -> assertThat(text).contains("application/problem+json"),
                        text -> assertThat(text).endsWith("\r\n\r\n"));
    }

    @Test
    void headersThatAreTooLongAreAProblem() throws IOException {
        assertThat(raw("GET /api/v1/domains HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(10_000)
                        + "\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 4")
                .contains("application/problem+json")
                .doesNotContain("<html");
    }

    private static String raw(String request) throws IOException {
        try (Socket socket = new Socket(
                java.net.InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
