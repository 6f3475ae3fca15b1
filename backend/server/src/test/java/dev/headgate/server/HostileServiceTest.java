package dev.headgate.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Whatever comes in by HTTP and the stream: it is answered with less than 500, a refusal is a problem with a 4xx, nothing is logged as
 * a defect, and afterwards the service has the threads, files, sockets and leases that it had before.
 */
@Timeout(3600)
class HostileServiceTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final String[] TEXTS = {
        "",
        "1",
        "0",
        "-1",
        "99999999999999999999",
        "1.5",
        "true",
        "TRUE",
        "x",
        "main",
        "h-1",
        "h-2",
        "fixed",
        "%00",
        "a%00b",
        "%ff",
        "%",
        "%zz",
        "%2e%2e%2f",
        "..%2f..",
        "+",
        "%20",
        "*",
        "%F0%9F%98%80",
        "a".repeat(300),
        "a".repeat(3_000),
        "2026-11-23T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "%2B999999999-12-31T23:59:59Z",
        "-999999999-01-01T00:00:00Z",
        "2026-11-23T00:00:00%2B99:99",
        "2026-02-30T00:00:00Z",
        "NaN",
        "null",
        "[]",
        "{}",
        "<script>",
        "'",
        "\"",
        ";a=b",
        "wait",
        "1|2",
        "eyJhIjoxfQ==",
        "MQ",
        "\u00e9",
        "waits",
        "none",
        "minutes=5,waits=1"
    };

    /** The doors that are not in the OpenAPI document, as it would describe them. No handshake is complete: those are played elsewhere. */
    private static final String DOORS = """
            {"/sql": {"post": {
              "parameters": [
                {"in": "header", "name": "Neon-Connection-String", "schema": {"enum":
                  ["RIGHT", "RIGHT", "RIGHT", "postgresql://web:wrong@h/neon", "postgresql://admin:x@h/headgate", "mysql://x", "%zz", ""]}},
                {"in": "header", "name": "Neon-Raw-Text-Output", "schema": {"enum": ["true", "TRUE", "x"]}},
                {"in": "header", "name": "Neon-Array-Mode", "schema": {"enum": ["true", "false", ""]}},
                {"in": "header", "name": "Neon-Batch-Isolation-Level", "schema": {"enum": ["Serializable", "serializable", "RepeatableRead"]}},
                {"in": "header", "name": "Neon-Batch-Read-Only", "schema": {"enum": ["true", "false", "x"]}}],
              "requestBody": {"content": {"application/json": {"schema": {"anyOf": [
                {"$ref": "NeonQuery"},
                {"required": ["queries"], "properties": {"queries": {"type": "array", "items": {"$ref": "NeonQuery"}}}}]}}}}}},
             "/v2": {"get": {
              "parameters": [
                {"in": "query", "name": "address"},
                {"in": "header", "name": "Upgrade", "schema": {"enum": ["websocket", "h2c", ""]}},
                {"in": "header", "name": "Sec-WebSocket-Version", "schema": {"enum": ["13", "99", "x"]}}]}},
             "/api/v1/stream": {"get": {
              "parameters": [
                {"in": "header", "name": "Upgrade", "schema": {"enum": ["websocket", "h2c", ""]}},
                {"in": "header", "name": "Sec-WebSocket-Version", "schema": {"enum": ["13", "99", "x"]}}]}}}
            """;

    private static final String NEON_QUERY = """
            {"required": ["query"], "properties": {
              "query": {"enum": ["SELECT $1::text", "SELECT 1", "SELECT 1/0", "SELECT ARRAY['a', NULL]", "", ";", "BEGIN", "COPY a FROM STDIN"]},
              "params": {"type": "array", "items": {"type": ["string", "integer", "boolean", "null", "object", "array"]}},
              "arrayMode": {"type": "boolean"}}}
            """;

    /** The only domain that is not deleted between inputs. */
    private static final String STAYS = "neon";

    @TempDir
    static Path data;

    private static Service service;
    private static HostileWatch watch;
    private static RawHttp http;
    private static List<Operation> operations;
    private static JsonNode schemas;

    private record Operation(String method, String path, JsonNode what) {}

    @BeforeAll
    static void start() throws IOException {
        service = Service.start(data, "--headgate.limits.requests-per-second=1000000");
        service.post("/databases", service.databaseBody("main", 40)).expect(201);
        http = new RawHttp(service.root().getPort());
        JsonNode document =
                service.send("GET", "/v3/api-docs", null).expect(200).json();
        schemas = ((ObjectNode) document.at("/components/schemas")).set("NeonQuery", JSON.readTree(NEON_QUERY));
        operations = new ArrayList<>();
        addOperations(document.get("paths"));
        addOperations(JSON.readTree(DOORS.replace("RIGHT", connectionString())));
        watch = new HostileWatch(service, data);
    }

    private static void addOperations(JsonNode paths) {
        for (Map.Entry<String, JsonNode> path : paths.properties()) {
            for (Map.Entry<String, JsonNode> each : path.getValue().properties()) {
                operations.add(new Operation(
                        each.getKey().toUpperCase(java.util.Locale.ROOT), path.getKey(), each.getValue()));
            }
        }
    }

    /** Of a client of a domain that stays. */
    private static String connectionString() {
        service.domain(STAYS, "[]");
        String password = service.client(STAYS, "web");
        return "postgresql://web:" + password + "@h/" + STAYS;
    }

    @AfterAll
    static void stop() throws IOException {
        watch.close();
        http.close();
        service.close();
    }

    @Test
    void anyRequestIsAnsweredOrRefused() throws IOException {
        HostileJson bodies = new HostileJson(
                schemas,
                Map.ofEntries(
                        Map.entry("name", "\"h-#\""),
                        Map.entry("database", "\"main\""),
                        Map.entry("host", "\"127.0.0.1\""),
                        Map.entry("port", String.valueOf(service.embedded().port())),
                        Map.entry("user", "\"" + Service.TARGET + "\""),
                        Map.entry("password", "\"" + Service.TARGET_PASSWORD + "\""),
                        Map.entry("budget", "5"),
                        Map.entry("plugin", "\"fixed\""),
                        Map.entry("version", "null"),
                        Map.entry("parameters", "{\"min\": 0, \"max\": 3}"),
                        Map.entry("seconds", "2"),
                        Map.entry("mode", "\"queue\""),
                        Map.entry("timeoutMs", "200"),
                        Map.entry("depth", "5")));
        leakless("requests", 500, random -> {
            Operation operation = operations.get(random.nextInt(operations.size()));
            check(operation.path.equals("/sql"), request(operation, bodies, random));
        });
    }

    @Test
    void anyPolicyFileIsAnsweredOrRefused() throws IOException {
        leakless("policy files", 200, random -> {
            byte[] file = HostileFiles.yaml(random);
            String path = List.of(
                            "/api/v1/files/diff",
                            "/api/v1/files/apply?source=a",
                            "/api/v1/files/apply?source=a&prune=true")
                    .get(random.nextInt(3));
            check(false, bytes("POST " + path, file, "application/yaml"));
        });
    }

    @Test
    void anyJarIsInstalledOrRefused() throws IOException {
        byte[] right = Files.readAllBytes(data.resolve("plugins/fixed.jar"));
        leakless("plugin jars", 100, random -> {
            byte[] jar =
                    random.nextBoolean() ? HostileJson.spoilt(right, random) : HostileFiles.rezipped(right, random);
            check(false, bytes("POST /api/v1/policy-plugins?fileName=a.jar", jar, "application/java-archive"));
        });
    }

    @Test
    void anyFrameIsTakenOrEndsTheStream() throws IOException {
        leakless("frames of the stream", 150, HostileServiceTest::stream);
    }

    // ---- what must hold

    /** Plays inputs, and compares what the service holds before with what it holds after. */
    private static void leakless(String what, long usual, HostileInputs.Play play) throws IOException {
        watch.forgetDefects();
        clear();
        for (int seed = 0; seed < 40; seed++) { // what is made once, and kept, is made now
            try {
                play.play(new SplittableRandom(-1 - seed));
            } catch (Exception | AssertionError fault) {
                throw new AssertionError(
                        what + ": -Dhostile.inputs=1 -Dhostile.seed=" + (-1 - seed) + ": " + fault, fault);
            }
        }
        clear();
        HostileWatch.Held before = watch.held();
        long[] played = {0};
        HostileInputs.play(what, usual, random -> {
            play.play(random);
            watch.requireNoDefect();
            if (++played[0] % 200 == 0) {
                clear();
            }
        });
        clear();
        http.close();
        watch.requireNothingLeft(before);
    }

    private static void clear() {
        for (JsonNode each : service.get("/domains").expect(200).json().get("items")) {
            service.post("/domains/" + each.get("name").asString() + "/resume", null);
        }
        watch.clear(name -> name.equals(STAYS) || name.equals("main"));
        String tag = service.get("/databases/main/policies").expect(200).header("ETag");
        service.put("/databases/main/policies", "{\"policies\": []}", "If-Match", tag)
                .expect(200);
    }

    private static void check(boolean isNeon, byte[] request) throws IOException {
        boolean isHead = new String(request, 0, 5, StandardCharsets.US_ASCII).equals("HEAD ");
        watch.judge(http.send(request, !isHead), request, isNeon);
    }

    // ---- requests

    private static byte[] request(Operation operation, HostileJson bodies, SplittableRandom random) {
        String method = random.nextInt(30) == 0
                ? List.of(
                                "GET",
                                "PUT",
                                "POST",
                                "PATCH",
                                "DELETE",
                                "OPTIONS",
                                "TRACE",
                                "HEAD",
                                "get",
                                "PROPFIND",
                                "CONNECT")
                        .get(random.nextInt(11))
                : operation.method;
        StringBuilder path = new StringBuilder(operation.path);
        StringBuilder query = new StringBuilder();
        StringBuilder head = new StringBuilder();
        for (JsonNode parameter : operation.what.path("parameters")) {
            String name = parameter.get("name").asString();
            switch (parameter.get("in").asString()) {
                case "path" -> {
                    int at = path.indexOf("{" + name + "}");
                    path.replace(at, at + name.length() + 2, segment(name, random));
                }
                case "query" -> {
                    if (random.nextInt(3) > 0) {
                        query.append(query.isEmpty() ? '?' : '&')
                                .append(name)
                                .append('=')
                                .append(text(random));
                    }
                }
                default -> {
                    JsonNode values = parameter.at("/schema/enum");
                    if (!values.isEmpty() && random.nextInt(4) > 0) {
                        String value = values.get(random.nextInt(values.size())).asString();
                        head.append(name).append(": ").append(value).append("\r\n");
                    }
                }
            }
        }
        if (random.nextInt(12) == 0) {
            query.append(query.isEmpty() ? '?' : '&')
                    .append(List.of(
                                    "=x",
                                    "x",
                                    "&&&",
                                    "x=1&x=2",
                                    "%00=1",
                                    "?",
                                    "#",
                                    "a[]=1",
                                    "limit=1&limit=2",
                                    "=",
                                    "%",
                                    "a=%e9")
                            .get(random.nextInt(12)));
        }
        JsonNode content = operation.what.at("/requestBody/content");
        byte[] body = null;
        String type = "application/json";
        if (content.has("application/json")) {
            body = bodies.body(content.get("application/json").get("schema"), random);
        } else if (!content.isMissingNode()) {
            type = content.propertyNames().iterator().next();
            body = random.nextBoolean() ? HostileFiles.yaml(random) : new byte[random.nextInt(200)];
        } else if (random.nextInt(20) == 0) {
            body = "{}".getBytes(StandardCharsets.UTF_8);
        }
        if (random.nextInt(20) == 0) {
            type = List.of(
                            "text/plain",
                            "application/xml",
                            "application/json;charset=utf-16",
                            "application/json; charset=nonsense",
                            "",
                            "/",
                            "a/b/c",
                            "multipart/form-data",
                            "application/x-www-form-urlencoded",
                            "application/*",
                            "application/json, text/plain",
                            "application/java-archive")
                    .get(random.nextInt(12));
        }
        if (random.nextInt(3) > 0 && operation.what.toString().contains("If-Match")) {
            head.append("If-Match: ")
                    .append(List.of(
                                    "\"1\"",
                                    "\"2\"",
                                    "\"3\"",
                                    "*",
                                    "W/\"1\"",
                                    "1",
                                    "\"\"",
                                    "\"1\", \"2\"",
                                    "\"99999999999999999999\"",
                                    "\"-1\"",
                                    "\u00e9",
                                    "\"a")
                            .get(random.nextInt(12)))
                    .append("\r\n");
        }
        if (random.nextInt(25) == 0) {
            head.append(List.of(
                                    "Accept: application/xml",
                                    "Accept: nonsense",
                                    "Accept: application/json;q=x",
                                    "Origin: http://evil.example",
                                    "Origin: null",
                                    "Range: bytes=0-1",
                                    "Cookie: headgate_session=" + "a".repeat(200),
                                    "Cookie: a=b; ;=;",
                                    "X-Forwarded-For: \u0001",
                                    "X-HTTP-Method-Override: DELETE",
                                    "If-None-Match: \"1\"",
                                    "Expect: 100-continue",
                                    "Accept-Language: \u00e9-*-;;",
                                    "Accept-Encoding: gzip;q=2, *",
                                    "If-Modified-Since: nonsense",
                                    "Last-Event-ID: 1",
                                    "Content-Encoding: gzip",
                                    "Upgrade: websocket",
                                    "Authorization: Bearer")
                            .get(random.nextInt(19)))
                    .append("\r\n");
        }
        return bytes(method + " " + path + query, body, type, head.toString(), random.nextInt(60) > 0);
    }

    private static String segment(String name, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            return text(random);
        }
        return switch (name) {
            case "domain" -> "h-" + random.nextInt(6);
            case "database" -> random.nextBoolean() ? "main" : "h-" + random.nextInt(6);
            case "revision" -> String.valueOf(random.nextInt(4));
            case "id" -> "fixed";
            case "version" -> "1.2.3";
            default -> "h-" + random.nextInt(6);
        };
    }

    private static String text(SplittableRandom random) {
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    private static byte[] bytes(String line, byte[] body, String type) {
        return bytes(line, body, type, "", true);
    }

    private static byte[] bytes(String line, byte @Nullable [] body, String type, String headers, boolean withToken) {
        StringBuilder head = new StringBuilder(line)
                .append(" HTTP/1.1\r\nHost: 127.0.0.1:")
                .append(service.root().getPort())
                .append("\r\n");
        if (withToken) {
            head.append("Authorization: Bearer ").append(service.token()).append("\r\n");
        }
        head.append(headers);
        if (body != null) {
            head.append("Content-Type: ")
                    .append(type)
                    .append("\r\nContent-Length: ")
                    .append(body.length)
                    .append("\r\n");
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
        if (body != null) {
            all.writeBytes(body);
        }
        return all.toByteArray();
    }

    // ---- the stream

    private static void stream(SplittableRandom random) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.root().getPort())) {
            socket.setSoTimeout(20);
            String extensions = random.nextInt(3) == 0 ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : "";
            socket.getOutputStream()
                    .write(("GET " + (random.nextInt(5) == 0 ? "/v2" : "/api/v1/stream")
                                    + " HTTP/1.1\r\nHost: 127.0.0.1:"
                                    + service.root().getPort()
                                    + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
                                    + (random.nextInt(20) == 0 ? "99" : "13")
                                    + "\r\nSec-WebSocket-Key: "
                                    + (random.nextInt(20) == 0 ? "x" : "dGhlIHNhbXBsZSBub25jZQ==")
                                    + "\r\nAuthorization: Bearer " + service.token() + "\r\n" + extensions + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            ByteArrayOutputStream frames = new ByteArrayOutputStream();
            for (int left = 1 + random.nextInt(4); left > 0; left--) {
                frames.writeBytes(frame(random));
            }
            byte[] sent =
                    random.nextInt(4) == 0 ? HostileJson.spoilt(frames.toByteArray(), random) : frames.toByteArray();
            socket.getOutputStream().write(sent);
            if (random.nextBoolean()) {
                socket.getInputStream().readNBytes(5_000);
            }
        } catch (java.net.SocketException | java.net.SocketTimeoutException ended) {
            // by the server, or it streams on
        }
    }

    private static byte[] frame(SplittableRandom random) {
        String[] texts = {
            "{\"type\":\"subscribe\",\"domains\":[\"*\"],\"rateHz\":10}",
            "{\"type\":\"subscribe\",\"domains\":[\"h-1\"],\"connections\":[\"*\"]}",
            "{\"type\":\"subscribe\",\"domains\":[\"\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\"]}",
            "{\"type\":\"subscribe\",\"domains\":[1]}",
            "{\"type\":\"subscribe\",\"domains\":5}",
            "{\"type\":\"subscribe\",\"domains\":[],\"rateHz\":1e400}",
            "{\"type\":\"subscribe\",\"domains\":[],\"rateHz\":\"" + "\u20ac".repeat(60) + "\"}",
            "{\"type\":\"subscribe\",\"domains\":[],\"" + "\u20ac".repeat(60) + "\":1}",
            "{\"type\":\"subscribe\",\"domains\":" + "[".repeat(600) + "]".repeat(600) + "}",
            "{\"type\":\"subscribe\",\"type\":\"subscribe\",\"domains\":[]}",
            "{\"type\":\"x\"}",
            "{}",
            "[]",
            "null",
            "",
            "\u0000",
            "{",
            "\"\\ud800\"",
            "{\"type\":\"subscribe\",\"domains\":[\"\\u0000\"]}",
            "x".repeat(130_000)
        };
        byte[] payload = texts[random.nextInt(texts.length)].getBytes(StandardCharsets.UTF_8);
        if (random.nextInt(5) == 0) {
            payload = HostileJson.spoilt(payload, random);
        }
        int opcode = random.nextInt(3) > 0 ? 1 : random.nextInt(16);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write((random.nextInt(8) == 0 ? random.nextInt(8) << 4 : 0x80) | opcode);
        int masked = random.nextInt(15) == 0 ? 0 : 0x80;
        if (random.nextInt(15) == 0) {
            frame.write(masked | 127); // a length that nobody has
            frame.writeBytes(
                    java.nio.ByteBuffer.allocate(8).putLong(random.nextLong()).array());
        } else if (payload.length < 126) {
            frame.write(masked | payload.length);
        } else if (payload.length < 65_536) {
            frame.write(masked | 126);
            frame.writeBytes(java.nio.ByteBuffer.allocate(2)
                    .putShort((short) payload.length)
                    .array());
        } else {
            frame.write(masked | 127);
            frame.writeBytes(
                    java.nio.ByteBuffer.allocate(8).putLong(payload.length).array());
        }
        if (masked != 0) {
            frame.writeBytes(new byte[4]);
        }
        frame.writeBytes(payload);
        return frame.toByteArray();
    }
}
