package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * Secrets go in at every door of a service in a process of its own. Its heap is dumped after they were used, and none of them is
 * in the dump, except those that {@link #held} lists. {@link CanaryTest} has them in its own heap and cannot judge that.
 */
@Timeout(300)
class HeapCanaryTest {

    /** How long a secret may outlive its use. */
    private static final Duration OUTLIVES = Duration.ofMinutes(1);

    private static final Duration BETWEEN_DUMPS = OUTLIVES.dividedBy(2);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    Path data;

    @TempDir
    Path secretFiles;

    /** What must not be found, by what it is. */
    private final Map<String, String> gone = new LinkedHashMap<>();

    /** What the service needs while it runs, by the reason. It shows that the search finds what is there. */
    private final Map<String, String> held = new LinkedHashMap<>();

    private final SecretDoors doors = new SecretDoors(new Visitor());

    private final SecureRandom random = new SecureRandom();

    /** Stays open: a connection that goes on must not keep what it carried before either. */
    private final HttpClient http = HttpClient.newHttpClient();

    private Process process;
    private URI root;
    private String token;
    private int postgres;

    @BeforeEach
    void start() throws Exception {
        PluginJars.writeTo(data.resolve("plugins"));
        Path said = data.resolve("said");
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx160m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1", // starts in half the time
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.headgate.server.Headgate",
                        "--headgate.data=" + data,
                        "--headgate.port=0",
                        "--headgate.wire.port=0",
                        "--headgate.wire.tls-self-signed=true",
                        "--headgate.demo=false",
                        "--headgate.plugins=" + data.resolve("plugins"),
                        "--headgate.frontend=" + data.resolve("frontend"),
                        "--headgate.secrets.folder=" + secretFiles)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        await().atMost(Service.PATIENCE.multipliedBy(2))
                .until(() -> Files.readString(said).contains("/?code=") || !process.isAlive());
        String line = Files.readString(said)
                .lines()
                .filter(each -> each.startsWith("Headgate is ready: "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("it did not start"));
        root = URI.create(line.substring("Headgate is ready: ".length(), line.indexOf("/?code=")));
        gone.put("the login code of the ready line", line.substring(line.indexOf("=") + 1));
        token = held("the administrator's token: every request is compared with it", read("admin-token"));
        held("the reader's token: every request is compared with it", read("reader-token"));
        postgres = Integer.parseInt(read("postgres/port"));
    }

    @AfterEach
    void stop() throws InterruptedException {
        http.shutdownNow();
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void noSecretIsLeftInTheHeapAMinuteAfterItsUse() throws Exception {
        databases();
        files();
        sessions();
        String password = client();
        wire(password);
        doors.enterAll(password);
        stream();
        uploads();
        long usedNanos = System.nanoTime();

        Set<String> found;
        Duration left;
        int dumps = 0;
        do {
            left = OUTLIVES.minusNanos(System.nanoTime() - usedNanos); // before the dump, which may take long
            found = search(dump(++dumps));
            assertThat(found).as("what must be found").containsAll(held.keySet());
            found.removeAll(held.keySet());
            if (!found.isEmpty() && left.isPositive()) {
                process.waitFor(BETWEEN_DUMPS.toMillis(), TimeUnit.MILLISECONDS);
            }
        } while (!found.isEmpty() && left.isPositive());
        assertThat(found).as("secrets in the heap of the service").isEmpty();
    }

    // ---- what goes in

    /** Lets a statement also answer its parameter: a buffer of the answer keeps none either. */
    private final class Visitor implements SecretDoors.Visitor {
        @Override
        public String secret(String what) {
            return gone.containsKey(what) ? gone.get(what) : HeapCanaryTest.this.secret(what);
        }

        @Override
        public String selected() {
            return "length($1), $1::text";
        }

        @Override
        public String token() {
            return token;
        }

        @Override
        public URI root() {
            return root;
        }

        @Override
        public HttpClient http() {
            return http;
        }

        @Override
        public HttpResponse<String> send(String method, String path, String body, int status, String... headers)
                throws Exception {
            return anonymous(method, path, body, status, headers);
        }
    }

    private String secret(String what) {
        byte[] bytes = new byte[18];
        random.nextBytes(bytes);
        String value = "canary" + HexFormat.of().formatHex(bytes);
        gone.put(what, value);
        return value;
    }

    private String held(String why, String value) {
        gone.values().remove(value);
        held.put(why, value);
        return value;
    }

    private void databases() throws Exception {
        String first = secret("a database's password that was replaced");
        String wrong = secret("a wrong password of a database");
        superuser("create role canary login password '" + first + "'");
        superuser("create database canary owner canary");
        post("/databases", database("main", first), 201);
        post("/databases", database("refused", wrong), 0);
        post("/databases", database("main", wrong), 409);
        post("/databases", database("broken", wrong).replace("}", ""), 400);
        post("/domains", "{\"name\": \"shop\", \"database\": \"main\"}", 201);
        post("/domains/shop/sql", "{\"sql\": \"select 1\"}", 200);
        String second = secret("a password that is in force now");
        held("the password of a database in force: connections are opened with it", second);
        superuser("alter role canary password '" + second + "'");
        send("PATCH", "/databases/main", "{\"password\": \"" + wrong + "\"}", 0);
        send("PATCH", "/databases/main", "{\"password\": \"" + second + "\", \"budget\": 9}", 200);
        post("/domains/shop/sql", "{\"sql\": \"select 1\"}", 200);
        superuser("create role leaving login password '" + secret("the password of a removed database") + "'");
        post(
                "/databases",
                database("leaving", gone.get("the password of a removed database"))
                        .replace("\"user\": \"canary\"", "\"user\": \"leaving\""),
                201);
        send("DELETE", "/databases/leaving", null, 204);
    }

    private String database(String name, String password) {
        return """
                {"name": "%s", "host": "127.0.0.1", "port": %d, "database": "canary", "user": "canary", "password": "%s",
                 "sslMode": "disable", "budget": 5}""".formatted(name, postgres, password);
    }

    private void files() throws Exception {
        String inline = secret("a password in a policy file");
        for (String operation : List.of("diff", "apply")) {
            for (String reference :
                    List.of("password: " + inline, "password: [" + inline, "password: {a: " + inline + "}")) {
                yaml(operation, "broken", reference, 0);
            }
        }
        String named = secret("a password in a file that a diff names");
        Files.writeString(secretFiles.resolve("named"), named + "\n");
        yaml("diff", "named", "passwordFile: " + secretFiles.resolve("named"), 0);
    }

    private void yaml(String operation, String name, String reference, int status) throws Exception {
        String yaml = """
                apiVersion: headgate/v1
                databases:
                  - name: %s
                    host: 127.0.0.1
                    port: %d
                    database: canary
                    user: canary
                    budget: 5
                    sslMode: disable
                    %s
                """.formatted(name, postgres, reference);
        send("POST", "/files/" + operation + "?source=a", yaml, status, "Content-Type", "application/yaml");
    }

    private void sessions() throws Exception {
        String wrong = secret("a wrong token");
        String cookie = secret("a wrong session");
        String code = secret("a wrong login code");
        anonymous("GET", "/api/v1/session", null, 401, "Authorization", "Bearer " + wrong);
        anonymous("GET", "/api/v1/session", null, 401, "Cookie", "headgate_session=" + cookie);
        anonymous("POST", "/api/v1/session", "{\"code\": \"" + code + "\"}", 401);
        anonymous("GET", "/?token=" + wrong, null, 0);
        anonymous("POST", "/api/v1/session", "code=" + code, 415, "Content-Type", "application/x-www-form-urlencoded");
        String issued = JSON.readTree(post("/session/codes", null, 201).body())
                .get("code")
                .asString();
        gone.put("a login code", issued);
        for (String each : List.of(issued, gone.get("the login code of the ready line"))) {
            String set = anonymous("POST", "/api/v1/session", "{\"code\": \"" + each + "\"}", 204)
                    .headers()
                    .firstValue("Set-Cookie")
                    .orElseThrow();
            String session = set.substring(0, set.indexOf(';'));
            gone.put("a session of " + each.charAt(0), session.substring(session.indexOf('=') + 1));
            anonymous("GET", "/api/v1/session", null, 200, "Cookie", session);
            anonymous("DELETE", "/api/v1/session", null, 204, "Cookie", session, "Origin", root.toString());
        }
    }

    private String client() throws Exception {
        String password = secret("a client's password");
        post("/domains/shop/clients", "{\"name\": \"app\", \"password\": \"" + password + "\"}", 201);
        gone.put(
                "a password that was made for a client",
                JSON.readTree(post("/domains/shop/clients", "{\"name\": \"made\"}", 201)
                                .body())
                        .get("password")
                        .asString());
        return password;
    }

    private void wire(String password) throws Exception {
        String wrong = secret("a wrong password at the wire port");
        for (String mode : List.of("disable", "require")) {
            assertThatThrownBy(() -> doors.wire("shop", mode, "app", wrong).close())
                    .isInstanceOf(SQLException.class);
            String parameter = secret("a parameter at the wire port, TLS: " + mode);
            try (Connection connection = doors.wire("shop", mode, "app", password);
                    PreparedStatement statement = connection.prepareStatement("select length(?), ?::text")) {
                for (int i = 0; i < 10; i++) { // from the fifth on, the driver prepares it
                    statement.setString(1, parameter);
                    statement.setString(2, parameter + "x".repeat(20_000));
                    statement.execute();
                }
            }
        }
    }

    private void stream() throws Exception {
        String wrong = secret("a wrong token for the stream");
        SecretDoors.Frames refused = new SecretDoors.Frames();
        doors.open("/api/v1/stream", refused, "Authorization", "Bearer " + wrong);
        await().atMost(Service.PATIENCE).until(() -> refused.isClosed());
        SecretDoors.Frames frames = new SecretDoors.Frames();
        WebSocket socket = doors.open("/api/v1/stream", frames, "Authorization", "Bearer " + token);
        String first = secret("a token in a frame of the stream");
        socket.sendText("{\"type\":\"authenticate\",\"token\":\"" + first + "\"}", true)
                .join();
        await().atMost(Service.PATIENCE).until(() -> frames.isClosed());
    }

    private void uploads() throws Exception {
        String content = secret("the content of an uploaded file");
        send("POST", "/policy-plugins", content, 0, "Content-Type", "application/java-archive");
        send(
                "POST",
                "/policy-plugins",
                "--b\r\nContent-Disposition: form-data; name=\"jar\"; filename=\"a.jar\"\r\n\r\n" + content
                        + "\r\n--b--\r\n",
                0,
                "Content-Type",
                "multipart/form-data; boundary=b");
    }

    private HttpResponse<String> post(String path, String body, int status) throws Exception {
        return send("POST", path, body, status);
    }

    private HttpResponse<String> send(String method, String path, String body, int status, String... headers)
            throws Exception {
        String[] all = new String[headers.length + 2];
        System.arraycopy(headers, 0, all, 0, headers.length);
        all[headers.length] = "Authorization";
        all[headers.length + 1] = "Bearer " + token;
        return anonymous(method, "/api/v1" + path, body, status, all);
    }

    /** @param status what it must answer; 0 for a refusal of any kind */
    private HttpResponse<String> anonymous(String method, String path, String body, int status, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(root.resolve(path))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (body != null && !List.of(headers).contains("Content-Type")) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (status != 0) {
            assertThat(answer.statusCode())
                    .as("%s %s: %s", method, path, answer.body())
                    .isEqualTo(status);
        }
        return answer;
    }

    private void superuser(String sql) throws Exception {
        Properties properties = new Properties();
        properties.put("user", "postgres");
        properties.put("password", read("postgres/password"));
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + postgres + "/postgres?sslmode=disable", properties);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String read(String file) throws IOException {
        return Files.readString(data.resolve(file)).strip();
    }

    // ---- what is left

    private Path dump(int number) throws Exception {
        Path file = data.resolve("heap-" + number + ".hprof");
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        String.valueOf(process.pid()),
                        "GC.heap_dump",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jcmd.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(file).as(said).exists();
        return file;
    }

    /** The names of the secrets that are in a file, in any form. */
    private Set<String> search(Path dump) throws IOException {
        byte[] bytes = Files.readAllBytes(dump);
        Files.delete(dump);
        Set<String> found = new TreeSet<>();
        Map<String, String> all = new LinkedHashMap<>(gone);
        all.putAll(held);
        all.forEach((what, value) -> {
            for (byte[] form : List.of(
                    value.getBytes(StandardCharsets.UTF_8),
                    value.getBytes(StandardCharsets.UTF_16LE),
                    value.getBytes(StandardCharsets.UTF_16BE),
                    Base64.getEncoder().withoutPadding().encode(value.getBytes(StandardCharsets.UTF_8)))) {
                if (indexOf(bytes, form) >= 0) {
                    found.add(what);
                }
            }
        });
        return found;
    }

    /** Horspool's search: it looks at one byte of each stretch as long as the pattern, where that byte is not in the pattern. */
    private static int indexOf(byte[] bytes, byte[] pattern) {
        int[] step = new int[256];
        Arrays.fill(step, pattern.length);
        for (int i = 0; i < pattern.length - 1; i++) {
            step[pattern[i] & 0xff] = pattern.length - 1 - i;
        }
        for (int at = 0; at <= bytes.length - pattern.length; at += step[bytes[at + pattern.length - 1] & 0xff]) {
            if (Arrays.equals(bytes, at, at + pattern.length, pattern, 0, pattern.length)) {
                return at;
            }
        }
        return -1;
    }
}
