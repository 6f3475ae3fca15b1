package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.sun.management.UnixOperatingSystemMXBean;
import dev.headgate.engine.Engine;
import dev.headgate.server.RawHttp.Answer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
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

    private static final String YAML = """
            databases:
              - name: h-3
                host: 127.0.0.1
                port: 1
                database: a
                user: a
                passwordEnv: HOSTILE
                budget: 5
            domains:
              - name: h-1
                database: main
                description: &text "something"
                wire: {mode: transaction}
                policySet:
                  comment: *text
                  policies:
                    - plugin: fixed
                      parameters: {min: 1, max: 3}
                  whenExhausted: {mode: queue, timeoutMs: 500, depth: 5}
            """;

    private static final String[] YAML_PIECES = {
        "&a [*a]",
        "*b",
        "&a",
        "<<: *text",
        "!!java.lang.Object {}",
        "!!binary aa",
        "? - a",
        "---",
        "...",
        "%YAML 9.9",
        "\t",
        "|",
        ">-",
        "{",
        "[",
        "]]",
        "'",
        "\"\\u0000\"",
        "~",
        "0x7fffffffffffffff",
        "1e999",
        ".inf",
        ".nan",
        "2026-11-23",
        "1:30",
        "yes",
        "<<: [1]",
        "{a: {a: {a: {}}}}",
        "[".repeat(70),
        "- ".repeat(90),
        "passwordFile: /etc/passwd",
        "passwordEnv: PATH",
        "name: h-1",
        "\u0000",
        "\ud83d\ude00",
        "a: b: c",
        "!<tag:yaml.org,2002:set> {a}",
        ": ",
        "- - -",
        "#"
    };

    /** The only domain that is not deleted between inputs. */
    private static final String STAYS = "neon";

    @TempDir
    static Path data;

    private static final List<String> defects = new CopyOnWriteArrayList<>();
    private static Service service;
    private static RawHttp http;
    private static List<Operation> operations;
    private static JsonNode schemas;

    private record Operation(String method, String path, JsonNode what) {}

    private static final AppenderBase<ILoggingEvent> LISTENER = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            // Tomcat answers a ping that arrives just after the stream's end, and logs that it cannot.
            boolean latePing = stack(event).contains("WsRemoteEndpointImplBase.sendPong");
            if (event.getLevel().isGreaterOrEqual(Level.ERROR) && !latePing) {
                defects.add(event.getLoggerName() + ": " + event.getFormattedMessage() + " " + stack(event));
            }
        }
    };

    private static String stack(ILoggingEvent event) {
        return event.getThrowableProxy() == null
                ? ""
                : ch.qos.logback.classic.spi.ThrowableProxyUtil.asString(event.getThrowableProxy());
    }

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
        LISTENER.setContext(((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).getLoggerContext());
        LISTENER.start();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).addAppender(LISTENER);
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
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).detachAppender(LISTENER);
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
            check(random, operation, request(operation, bodies, random));
        });
    }

    @Test
    void anyPolicyFileIsAnsweredOrRefused() throws IOException {
        leakless("policy files", 200, random -> {
            byte[] file = yaml(random);
            String path = List.of(
                            "/api/v1/files/diff",
                            "/api/v1/files/apply?source=a",
                            "/api/v1/files/apply?source=a&prune=true")
                    .get(random.nextInt(3));
            check(random, null, bytes("POST " + path, file, "application/yaml"));
        });
    }

    @Test
    void anyJarIsInstalledOrRefused() throws IOException {
        byte[] right = Files.readAllBytes(data.resolve("plugins/fixed.jar"));
        leakless("plugin jars", 100, random -> {
            byte[] jar = random.nextBoolean() ? HostileJson.spoilt(right, random) : rezipped(right, random);
            check(random, null, bytes("POST /api/v1/policy-plugins?fileName=a.jar", jar, "application/java-archive"));
        });
    }

    @Test
    void anyFrameIsTakenOrEndsTheStream() throws IOException {
        leakless("frames of the stream", 150, HostileServiceTest::stream);
    }

    // ---- what must hold

    /** Plays inputs, and compares what the service holds before with what it holds after. */
    private static void leakless(String what, long usual, HostileInputs.Play play) throws IOException {
        defects.clear();
        clear();
        for (int seed = 0; seed < 40; seed++) { // what is made once, and kept, is made now
            try {
                play.play(new SplittableRandom(-1 - seed));
            } catch (Exception | AssertionError fault) {
                throw new AssertionError(what + ": -Dhostile.inputs=1 -Dhostile.seed=" + (-1 - seed), fault);
            }
        }
        clear();
        System.gc();
        Map<String, Integer> threads = threads();
        long handles = handles();
        Set<String> files = files();
        long[] played = {0};
        HostileInputs.play(what, usual, random -> {
            play.play(random);
            if (!defects.isEmpty()) {
                throw new AssertionError("logged: " + defects);
            }
            if (++played[0] % 200 == 0) {
                clear();
            }
        });
        clear();
        http.close();
        await().atMost(Service.PATIENCE).untilAsserted(() -> {
            System.gc(); // what a class loader of a plugin held
            assertThat(leases()).as("leases").isZero();
            assertThat(more(threads, threads())).as("threads").isEmpty();
            assertThat(handles()).as("open files and sockets").isLessThan(handles + 30);
            assertThat(files()).as("files in the data folder").isEqualTo(files);
        });
        assertThat(defects).isEmpty();
        service.get("/domains").expect(200);
    }

    private static void clear() {
        for (JsonNode each : service.get("/domains").expect(200).json().get("items")) {
            String name = each.get("name").asString();
            service.post("/domains/" + name + "/resume", null);
            if (!name.equals(STAYS)) {
                service.delete("/domains/" + name).expect(204);
            }
        }
        for (JsonNode each : service.get("/databases").expect(200).json().get("items")) {
            if (!each.get("name").asString().equals("main")) {
                service.delete("/databases/" + each.get("name").asString()).expect(204);
            }
        }
        String tag = service.get("/databases/main/policies").expect(200).header("ETag");
        service.put("/databases/main/policies", "{\"policies\": []}", "If-Match", tag)
                .expect(200);
        for (JsonNode each : service.get("/policy-plugins").expect(200).json().get("items")) {
            if (!each.get("builtIn").asBoolean()) {
                service.delete("/policy-plugins/" + each.get("id").asString() + "/"
                        + each.get("version").asString());
            }
        }
    }

    private static long leases() {
        return service.bean(Engine.class).databases().stream()
                .flatMap(database -> database.pools().stream())
                .mapToLong(pool -> pool.status().inUse())
                .sum();
    }

    /** By name without numbers; those of the HTTP server come and go. */
    private static Map<String, Integer> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(thread -> thread.getName().replaceAll("[0-9]+", "#"))
                .filter(name ->
                        !name.startsWith("http-") && !name.startsWith("HttpClient") && !name.startsWith("ForkJoin"))
                .collect(Collectors.toMap(name -> name, name -> 1, Integer::sum, TreeMap::new));
    }

    private static List<String> more(Map<String, Integer> before, Map<String, Integer> after) {
        return after.entrySet().stream()
                .filter(each -> each.getValue() > before.getOrDefault(each.getKey(), 0) + 2)
                .map(each -> each.getKey() + ": " + before.get(each.getKey()) + " -> " + each.getValue())
                .toList();
    }

    private static long handles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }

    private static Set<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(data)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> data.relativize(file).toString())
                    .filter(name -> !name.startsWith("postgres"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static void check(SplittableRandom random, @Nullable Operation operation, byte[] request)
            throws IOException {
        Answer answer = http.send(request, !new String(request, 0, 5, StandardCharsets.US_ASCII).equals("HEAD "));
        String what = " to " + (operation == null ? "" : operation.path + " ") + shown(request);
        if (answer == null) {
            return; // no request at all
        }
        if (answer.status() >= 500) {
            throw new AssertionError(answer + what + defects);
        }
        boolean hasBody = !answer.body().isEmpty();
        if (answer.status() >= 400 && hasBody) {
            JsonNode refusal = JSON.readTree(answer.body());
            if (what.startsWith(" to /sql ") && answer.contentType().startsWith("application/json")) {
                assertThat(refusal.get("message").asString()).as(answer + what).isNotEmpty();
            } else {
                assertThat(answer.contentType()).as(answer + what).startsWith("application/problem+json");
                assertThat(refusal.get("status").asInt()).isEqualTo(answer.status());
                assertThat(refusal.get("title").asString()).isNotEmpty();
            }
        } else if (answer.status() >= 400) {
            assertThat(shown(request)).as(answer + " without a problem").startsWith("HEAD ");
        } else if (answer.contentType().startsWith("application/json")) {
            JSON.readTree(answer.body());
        }
    }

    private static String shown(byte[] request) {
        String text = new String(request, StandardCharsets.ISO_8859_1).replace(service.token(), "TOKEN");
        return text.substring(0, Math.min(3_000, text.length()));
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
            body = random.nextBoolean() ? yaml(random) : new byte[random.nextInt(200)];
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

    // ---- files and jars

    private static byte[] yaml(SplittableRandom random) {
        List<String> lines = new ArrayList<>(YAML.lines().toList());
        for (int left = random.nextInt(4); left > 0; left--) {
            int at = random.nextInt(lines.size());
            String piece = YAML_PIECES[random.nextInt(YAML_PIECES.length)];
            String line = lines.get(at);
            switch (random.nextInt(6)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(at, line);
                case 2 ->
                    lines.set(at, line.replaceFirst(": .*", ": " + java.util.regex.Matcher.quoteReplacement(piece)));
                case 3 -> lines.set(at, line + piece);
                case 4 -> lines.set(at, " ".repeat(random.nextInt(5)) + line);
                default -> lines.add(at, piece);
            }
            if (lines.isEmpty()) {
                break;
            }
        }
        byte[] file = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        return random.nextInt(4) == 0 ? HostileJson.spoilt(file, random) : file;
    }

    /** The jar with entries that are changed, renamed, missing, doubled or added. */
    private static byte[] rezipped(byte[] jar, SplittableRandom random) throws IOException {
        ByteArrayOutputStream made = new ByteArrayOutputStream();
        try (ZipInputStream from = new ZipInputStream(new ByteArrayInputStream(jar));
                ZipOutputStream to = new ZipOutputStream(made)) {
            for (ZipEntry entry = from.getNextEntry(); entry != null; entry = from.getNextEntry()) {
                byte[] content = from.readAllBytes();
                String name = entry.getName();
                switch (random.nextInt(8)) {
                    case 0 -> content = HostileJson.spoilt(content, random);
                    case 1 -> content = new byte[random.nextInt(100)];
                    case 2 ->
                        name = List.of("../../" + name, "/" + name, name + "/", "a" + name, "\u0000")
                                .get(random.nextInt(5));
                    case 3 -> name = name.replace("Fixed", "Other");
                    default -> {}
                }
                if (random.nextInt(10) > 0) {
                    to.putNextEntry(new ZipEntry(name));
                    to.write(content);
                    to.closeEntry();
                }
            }
            if (random.nextInt(4) == 0) {
                to.putNextEntry(new ZipEntry(List.of(
                                "META-INF/MANIFEST.MF2",
                                "lib/a.jar",
                                "module-info.class",
                                "META-INF/versions/9/a.class",
                                "big")
                        .get(random.nextInt(5))));
                to.write(new byte[random.nextInt(1 << 20)]);
            }
        } catch (java.util.zip.ZipException twice) {
            return made.toByteArray();
        }
        return made.toByteArray();
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
