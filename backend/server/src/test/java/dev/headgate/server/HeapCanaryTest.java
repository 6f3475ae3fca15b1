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
import java.nio.ByteBuffer;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Secrets go in at every door of a service in a process of its own. Its heap is dumped after they were used, and none of them is
 * in the dump, except those that {@link #held} lists. {@link CanaryTest} has them in its own heap and cannot judge that.
 */
@Timeout(300)
class HeapCanaryTest {

    /** How long a secret may outlive its use. */
    private static final Duration OUTLIVES = Duration.ofMinutes(1);

    private static final int MOST_DUMPS = 3;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    Path data;

    @TempDir
    Path secretFiles;

    /** What must not be found, by what it is. */
    private final Map<String, String> gone = new LinkedHashMap<>();

    /** What the service needs while it runs, by the reason. It shows that the search finds what is there. */
    private final Map<String, String> held = new LinkedHashMap<>();

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
        webSocket(password);
        statements(password);
        stream();
        uploads();
        long usedNanos = System.nanoTime();

        Set<String> found = new TreeSet<>();
        for (int dumps = 1; dumps <= MOST_DUMPS; dumps++) {
            found = search(dump(dumps));
            assertThat(found).as("what must be found").containsAll(held.keySet());
            found.removeAll(held.keySet());
            Duration left = OUTLIVES.minusNanos(System.nanoTime() - usedNanos);
            if (found.isEmpty() || left.isNegative()) {
                break;
            }
            process.waitFor(left.toMillis() / (MOST_DUMPS - dumps + 1), TimeUnit.MILLISECONDS);
        }
        assertThat(found).as("secrets in the heap of the service").isEmpty();
    }

    // ---- what goes in

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
            assertThatThrownBy(() -> connect(mode, "app", wrong).close()).isInstanceOf(SQLException.class);
            String parameter = secret("a parameter at the wire port, TLS: " + mode);
            try (Connection connection = connect(mode, "app", password);
                    PreparedStatement statement = connection.prepareStatement("select length(?), ?::text")) {
                for (int i = 0; i < 10; i++) { // from the fifth on, the driver prepares it
                    statement.setString(1, parameter);
                    statement.setString(2, parameter + "x".repeat(20_000));
                    statement.execute();
                }
            }
        }
    }

    private Connection connect(String mode, String user, String password) throws Exception {
        Properties properties = new Properties();
        properties.put("user", user);
        properties.put("password", password);
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + wirePort() + "/shop?sslmode=" + mode, properties);
    }

    private int wirePort() throws Exception {
        JsonNode clients =
                JSON.readTree(send("GET", "/domains/shop/clients", null, 200).body());
        return clients.at("/endpoint/port").asInt();
    }

    private void statements(String password) throws Exception {
        String wrong = secret("a wrong password at /sql");
        String parameter = secret("a parameter at /sql");
        String statement = "{\"query\": \"select length($1)\", \"params\": [\"" + parameter + "\"]}";
        anonymous("POST", "/sql", statement, 200, "Neon-Connection-String", "postgresql://app:" + password + "@h/shop");
        anonymous("POST", "/sql", statement, 401, "Neon-Connection-String", "postgresql://app:" + wrong + "@h/shop");
        for (int i = 0; i < 3; i++) {
            post("/domains/shop/sql", sql("a parameter of a statement"), 200);
        }
        post("/domains/shop/sql", sql("a parameter of a refused statement").replace("\"]", "\", 1]"), 0);
        String path = "/domains/shop/sql/transactions";
        String id = JSON.readTree(post(path, "{\"idleSeconds\": 300}", 201).body())
                .get("id")
                .asString();
        post(path + "/" + id, sql("a parameter in a transaction that stays open"), 200);
        String ended = JSON.readTree(post(path, "{}", 201).body()).get("id").asString();
        post(path + "/" + ended, sql("a parameter in a transaction that has ended"), 200);
        post(path + "/" + ended + "/commit", null, 204);
    }

    /** A statement that also answers its parameter. */
    private String sql(String what) {
        String parameter = gone.containsKey(what) ? gone.get(what) : secret(what);
        return "{\"sql\": \"select length($1), $1::text\", \"params\": [\"" + parameter + "\"]}";
    }

    private void stream() throws Exception {
        String wrong = secret("a wrong token for the stream");
        Frames refused = new Frames();
        open("/api/v1/stream", refused, "Authorization", "Bearer " + wrong);
        await().atMost(Service.PATIENCE).until(() -> refused.closed);
        Frames frames = new Frames();
        WebSocket socket = open("/api/v1/stream", frames, "Authorization", "Bearer " + token);
        String first = secret("a token in a frame of the stream");
        socket.sendText("{\"type\":\"authenticate\",\"token\":\"" + first + "\"}", true)
                .join();
        await().atMost(Service.PATIENCE).until(() -> frames.closed);
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

    /** The wire protocol in frames, where the client sends its password itself. */
    private void webSocket(String password) throws Exception {
        String wrong = secret("a wrong password in a frame");
        for (String each : List.of(wrong, password)) {
            Frames frames = new Frames();
            WebSocket socket = open("/v2", frames);
            say(socket, (char) 0, "\0\3\0\0user\0app\0database\0shop\0\0");
            await().atMost(Service.PATIENCE).until(() -> frames.has("R"));
            say(socket, 'p', each + "\0");
            await().atMost(Service.PATIENCE).until(() -> frames.closed || frames.has("Z\0\0\0\5I"));
            if (!frames.closed) {
                String parameter = secret("a parameter in a frame");
                say(socket, 'P', "\0select $1::text\0\0\0");
                say(socket, 'B', "\0\0\0\0\0\1\0\0\0" + (char) parameter.length() + parameter + "\0\0");
                say(socket, 'E', "\0\0\0\0\0");
                say(socket, 'S', "");
                await().atMost(Service.PATIENCE).until(() -> frames.has("C\0\0\0\15SELECT 1\0"));
                socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            }
            await().atMost(Service.PATIENCE).until(() -> frames.closed);
        }
    }

    private static void say(WebSocket socket, char type, String body) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(5 + body.length());
        if (type != 0) {
            message.put((byte) type);
        }
        message.putInt(4 + body.length()).put(body.getBytes(StandardCharsets.ISO_8859_1));
        socket.sendBinary(message.flip(), true).join();
    }

    private WebSocket open(String path, Frames frames, String... header) {
        WebSocket.Builder builder = http.newWebSocketBuilder();
        if (header.length > 0) {
            builder.header(header[0], header[1]);
        }
        return builder.buildAsync(URI.create(root.toString().replace("http", "ws") + path), frames)
                .join();
    }

    /** What a WebSocket has received. */
    private static final class Frames implements WebSocket.Listener {
        private final StringBuffer received = new StringBuffer();
        private volatile boolean closed;

        boolean has(String part) {
            return received.indexOf(part) >= 0;
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            received.append(text);
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer bytes, boolean last) {
            received.append(StandardCharsets.ISO_8859_1.decode(bytes));
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed = true;
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed = true;
        }
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
