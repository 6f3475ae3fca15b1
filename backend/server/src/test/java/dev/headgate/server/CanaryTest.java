package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.server.Service.Answer;
import dev.headgate.server.store.EmbeddedServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/**
 * Known secrets go in wherever one is taken, and errors are made around each. Afterwards none of them is in what the service has logged,
 * answered, streamed, counted, stored or written to a file, as text, in hexadecimal or in Base64.
 */
@Timeout(300)
class CanaryTest {

    private static final String APP_CLIENT = "canary-of-the-client-5e1f";

    /** Files that hold a secret on purpose. */
    private static final Set<String> KEPT = Set.of("admin-token", "reader-token");

    @TempDir
    Path data;

    @TempDir
    Path secretFiles;

    /** Of the server that has the control store and the database "canary". */
    @TempDir
    Path cluster;

    /** What must not be found, by what it is. */
    private final Map<String, String> secrets = new LinkedHashMap<>();

    private final Queue<String> logged = new ConcurrentLinkedQueue<>();
    private final List<String> told = new ArrayList<>();
    private EmbeddedServer postgres;
    private Service service;

    private final AppenderBase<ILoggingEvent> listener = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            logged.add(event.getThreadName() + " " + event.getFormattedMessage()
                    + (event.getThrowableProxy() == null
                            ? ""
                            : ThrowableProxyUtil.asString(event.getThrowableProxy())));
        }
    };

    @BeforeEach
    void start() throws IOException {
        postgres = EmbeddedServer.start(cluster);
        String password = secret("the store's password", "canary-of-the-store-0f0f");
        postgres.ensureDatabase("store", "store", password);
        PluginJars.writeTo(data.resolve("plugins"));
        service = Service.startAsItIs(
                data,
                "--headgate.store.url=" + postgres.jdbcUrl("store"),
                "--headgate.store.user=store",
                "--headgate.store.password=" + password,
                "--headgate.secrets.folder=" + secretFiles,
                "--headgate.secrets.env-prefix=PA");
        // Not before: Spring Boot sets logging up anew.
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        listener.setContext(root.getLoggerContext());
        listener.start();
        root.addAppender(listener);
    }

    @AfterEach
    void stop() {
        service.close();
        postgres.close();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).detachAppender(listener);
    }

    @Test
    void noSecretComesOutAgain() throws Exception {
        secrets.put("the admin token", service.token());
        databases();
        files();
        String client = clients();
        logins();
        statements();
        try (HttpClient http = HttpClient.newHttpClient()) {
            new SecretDoors(new Visitor(http)).enterAll(APP_CLIENT);
        }
        workload();
        String stream = stream();
        console();

        everyReadingOperation();
        told.add(service.send("GET", "/actuator/prometheus", null).expect(200).text());
        told.add(service.send("GET", "/actuator/health", null).text());
        assertThat(client).isNotEmpty();

        assertThat(logged).as("what was listened to").anyMatch(line -> line.contains("127.0.0.1"));
        assertThat(told).anyMatch(text -> text.contains("database-unreachable"));
        assertThat(stream).contains("shop");
        told.forEach(text -> search("an answer", text));
        logged.forEach(text -> search("the log", text));
        search("the stream", stream);
        tables();
        service.close(); // what it writes at its end, too
        postgres.close();
        dataFolder();
        logged.forEach(text -> search("the log", text));
    }

    @Test
    void aWrongPasswordOfTheStoreIsNotToldEither() {
        String wrong = secret("a wrong password of the store", "canary-of-another-store-1a1a");
        assertThatThrownBy(() -> Service.run(
                        data.resolve("other"),
                        "--headgate.store.url=" + postgres.jdbcUrl("store"),
                        "--headgate.store.user=store",
                        "--headgate.store.password=" + wrong))
                .hasStackTraceContaining("password authentication failed")
                .satisfies(fault -> {
                    StringWriter trace = new StringWriter();
                    fault.printStackTrace(new PrintWriter(trace));
                    search("the reason why it does not start", trace.toString());
                });
        logged.forEach(text -> search("the log", text));
    }

    // ---- what goes in

    private String secret(String what, String value) {
        secrets.put(what, value);
        return value;
    }

    /** Lets a statement answer nothing of its parameter: its answer is for whoever has sent that. */
    private final class Visitor implements SecretDoors.Visitor {
        private final HttpClient http;

        Visitor(HttpClient http) {
            this.http = http;
        }

        @Override
        public String secret(String what) {
            return secrets.containsKey(what)
                    ? secrets.get(what)
                    : CanaryTest.this.secret(what, "canary" + UUID.randomUUID());
        }

        @Override
        public String selected() {
            return "length($1)";
        }

        @Override
        public String token() {
            return service.token();
        }

        @Override
        public URI root() {
            return service.root();
        }

        @Override
        public HttpClient http() {
            return http;
        }

        @Override
        public HttpResponse<String> send(String method, String path, String body, int status, String... headers) {
            Answer answer = service.sendAnonymous(method, path, body, headers);
            tell(answer);
            return (status == 0 ? answer : answer.expect(status)).response();
        }
    }

    private void databases() throws SQLException {
        String password = secret("a database's password", "canary-of-the-database-71c4");
        postgres.ensureDatabase("canary", "canary", password);
        String wrong = secret("a wrong password of a database", "canary-that-is-wrong-22d9");
        tell(service.post("/databases", database("main", password)).expect(201));
        tell(service.post("/databases", database("refused", wrong)));
        tell(service.post("/databases", database("main", wrong))); // taken
        tell(service.post("/databases", database("a", wrong).replace("127.0.0.1", "no-such-host.invalid")));
        tell(service.post("/databases", database("a", wrong).replace("\"budget\": 5", "\"budget\": 0")));
        tell(service.post("/databases", database("a", wrong).replace("\"budget\"", "\"bugdet\"")));
        tell(service.post("/databases", database("a", wrong).replace("}", "")));
        tell(service.post("/databases", database("a", wrong).replace('"' + wrong + '"', "[\"" + wrong + "\"]")));
        tell(service.post("/databases", database("a", wrong).replace('"' + wrong + '"', wrong)));
        String word = secret("a password that could be a word of JSON", "canaryThatIsAWord77ab");
        tell(service.post("/databases", database("a", word).replace('"' + word + '"', word)));
        tell(service.sendAnonymous("POST", "/sql", "{\"query\": " + word + "}"));
        tell(service.post("/databases", database("a", wrong + "x".repeat(1_000))));
        tell(service.post("/databases", database("a", wrong + "\\u0000")));
        tell(service.post("/databases", database("a", wrong), "Content-Type", "text/plain"));
        tell(service.patch("/databases/main", "{\"password\": \"" + wrong + "\"}", "If-Match", "\"77\""));
        tell(service.patch("/databases/main", "{\"password\": \"" + wrong + "\"}", "If-Match", "nonsense"));
        tell(service.patch("/databases/main", "{\"password\": \"" + wrong + "\"}"));
        tell(service.patch("/databases/main", "{\"password\": \"" + wrong + "\", \"port\": 1}"));
        tell(service.patch("/databases/main", "{\"password\": \"" + password + "\", \"budget\": 9}")
                .expect(200));
        tell(service.patch("/databases/none", "{\"password\": \"" + wrong + "\"}"));
        service.domain("shop", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 2}}]");
        try (Connection owner = postgres.connect("postgres");
                Statement statement = owner.createStatement()) { // now the kept password is wrong, too
            statement.execute("alter role canary password 'canary-changed'");
        }
        tell(service.post("/domains/shop/flush", null));
        try (Lease lease = service.bean(Engine.class).pool("shop").orElseThrow().acquire(LeaseRequest.by("canary"))) {
            told.add(lease.connectionId());
        } catch (SQLException | RuntimeException fault) {
            told.add(fault.toString());
        }
        try (Connection owner = postgres.connect("postgres");
                Statement statement = owner.createStatement()) {
            statement.execute("alter role canary password '" + password + "'");
        }
    }

    private String database(String name, String password) {
        return """
                {"name": "%s", "host": "127.0.0.1", "port": %d, "database": "canary", "user": "canary", "password": "%s",
                 "sslMode": "disable", "budget": 5}""".formatted(name, postgres.port(), password);
    }

    private void files() throws IOException {
        String kept = secret("a password in a file", "canary-in-a-file-90ab");
        Files.writeString(secretFiles.resolve("password"), kept + "\n");
        secret("a password in the environment", System.getenv("PATH"));
        String inline = secret("a password in a policy file", "canary-in-yaml-3d3d");
        for (String reference : List.of(
                "passwordFile: " + secretFiles.resolve("password"),
                "passwordFile: " + data.resolve("admin-token"),
                "passwordFile: " + data.resolve("secret.key"),
                "passwordEnv: PATH",
                "password: " + inline,
                "password: [" + inline,
                "password: {a: " + inline + "}")) {
            String yaml = """
                    apiVersion: headgate/v1
                    databases:
                      - name: filed
                        host: 127.0.0.1
                        port: %d
                        database: canary
                        user: canary
                        budget: 5
                        sslMode: disable
                        %s
                    """.formatted(postgres.port(), reference);
            tell(service.post("/files/diff?source=a", yaml, "Content-Type", "application/yaml"));
            tell(service.post("/files/apply?source=a", yaml, "Content-Type", "application/yaml"));
        }
    }

    private String clients() {
        String given = secret("a client's password", APP_CLIENT);
        service.post("/domains/shop/clients", "{\"name\": \"app\", \"password\": \"" + given + "\"}")
                .expect(201);
        tell(service.post("/domains/shop/clients", "{\"name\": \"app\", \"password\": \"" + given + "\"}"));
        tell(service.post("/domains/shop/clients", "{\"name\": \"a b\", \"password\": \"" + given + "\"}"));
        tell(service.post("/domains/none/clients", "{\"name\": \"app2\", \"password\": \"" + given + "\"}"));
        tell(service.post("/domains/shop/clients", "{\"name\": \"app2\", \"password\": \"" + given + "\\u0001\"}"));
        String made = service.client("shop", "other");
        return secret("a password that was made for a client", made);
    }

    private void logins() {
        String wrong = secret("a wrong token", "canary-as-a-token-6b6b6b6b6b6b6b6b6b6b6b6b");
        tell(service.sendAnonymous("GET", "/api/v1/domains", null, "Authorization", "Bearer " + wrong));
        tell(service.sendAnonymous("GET", "/api/v1/domains", null, "Cookie", "headgate_session=" + wrong));
        tell(service.sendAnonymous("POST", "/api/v1/session", "{\"code\": \"" + wrong + "\"}"));
        tell(service.sendAnonymous("POST", "/api/v1/session", "{\"code\": [\"" + wrong + "\"]}"));
        tell(service.sendAnonymous("GET", "/?token=" + wrong, null));
        tell(service.send("GET", "/api/v1/domains?token=" + service.token(), null));
        String code = secret(
                "a login code",
                service.post("/session/codes", null)
                        .expect(201)
                        .json()
                        .get("code")
                        .asString());
        Answer session = service.sendAnonymous("POST", "/api/v1/session", "{\"code\": \"" + code + "\"}")
                .expect(204);
        tell(service.sendAnonymous("POST", "/api/v1/session", "{\"code\": \"" + code + "\"}")
                .expect(401));
        String cookie = String.valueOf(session.header("Set-Cookie"));
        String value = cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
        secret("a session", value);
        tell(service.sendAnonymous("GET", "/api/v1/session", null, "Cookie", cookie)
                .expect(200));
        tell(service.sendAnonymous("DELETE", "/api/v1/session", null, "Cookie", cookie));
        tell(service.sendAnonymous("GET", "/api/v1/session", null, "Cookie", cookie));
    }

    private void statements() throws IOException {
        String reader = secret(
                "the reader's token",
                Files.readString(data.resolve("reader-token")).strip());
        tell(service.sendAnonymous("GET", "/api/v1/session", null, "Authorization", "Bearer " + reader)
                .expect(200));
        String parameter = secret("a statement's parameter", "canary-as-a-parameter-7c7c7c7c");
        String literal = secret("a statement's literal", "canary-as-a-literal-8d8d8d8d");
        String key = secret("an idempotency key", "canary-as-a-key-9e9e9e9e");
        String sql = "{\"sql\": \"SELECT length($1), length('" + literal + "')\", \"params\": [\"" + parameter + "\"]}";
        tell(service.post("/domains/shop/sql", sql, "Idempotency-Key", key).expect(200));
        tell(service.post("/domains/shop/sql", sql, "Idempotency-Key", key).expect(200));
        tell(service.post("/domains/shop/sql", sql.replace("[\"", "[1, \""), "Idempotency-Key", key));
    }

    /** Its statements run on the domain, and it is shown and audited. */
    private void workload() {
        String script = secret("a literal in a script of a load", "canary-in-a-script-4b4b4b4b");
        tell(service.put("/workloads/canary", """
                {"domain": "shop", "ratePerSecond": 100, "varies": false, "running": true,
                 "transactions": [{"name": "one", "weight": 1, "script": "SELECT length('%s');"}]}""".formatted(script)).expect(201));
        await().atMost(Service.PATIENCE)
                .until(() -> service.get("/workloads/canary")
                                .json()
                                .at("/total/count")
                                .asLong()
                        > 0);
        tell(service.get("/workloads"));
        tell(service.delete("/workloads/canary").expect(204));
    }

    // ---- what comes out

    private String stream() {
        StringBuilder frames = new StringBuilder();
        try (HttpClient http = HttpClient.newHttpClient()) {
            WebSocket socket = http.newWebSocketBuilder()
                    .header("Authorization", "Bearer " + service.token())
                    .buildAsync(
                            URI.create(service.root().toString().replace("http", "ws") + "/api/v1/stream"),
                            new WebSocket.Listener() {
                                @Override
                                public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
                                    synchronized (frames) {
                                        frames.append(text);
                                    }
                                    from.request(1);
                                    return null;
                                }
                            })
                    .join();
            socket.sendText("{\"type\":\"subscribe\",\"domains\":[\"*\"],\"rateHz\":10,\"connections\":[\"*\"]}", true);
            await().atMost(Service.PATIENCE).until(() -> {
                synchronized (frames) {
                    return frames.indexOf("\"delta\"") > 0 && frames.indexOf("\"snapshot\"") > 0;
                }
            });
            socket.abort();
        }
        synchronized (frames) {
            return frames.toString();
        }
    }

    /** Logins at the wire port, right and wrong, and all that its console shows. */
    private void console() throws SQLException {
        String wrong = secret("a wrong password of a client", "canary-at-the-wire-port-1c1c");
        assertThatThrownBy(() -> wire("shop", "app", wrong).close()).satisfies(fault -> told.add(fault.toString()));
        assertThatThrownBy(() -> wire("none", "app", APP_CLIENT).close())
                .satisfies(fault -> told.add(fault.toString()));
        try (Connection app = wire("shop", "app", APP_CLIENT);
                Connection admin = wire("headgate", "admin", service.token());
                Statement asking = admin.createStatement()) {
            assertThat(app.isValid(10)).isTrue();
            for (String what :
                    List.of("POOLS", "STATS", "SERVERS", "CLIENTS", "DATABASES", "CONFIG", "LISTS", "VERSION")) {
                try (ResultSet rows = asking.executeQuery("SHOW " + what)) {
                    while (rows.next()) {
                        for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                            told.add(String.valueOf(rows.getString(column)));
                        }
                    }
                }
            }
        }
    }

    private Connection wire(String domain, String user, String password) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", user);
        properties.put("password", password);
        properties.put("preferQueryMode", "simple");
        int port =
                service.get("/domains/shop/clients").json().at("/endpoint/port").asInt(0);
        assertThat(port).isPositive();
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port + "/" + domain + "?sslmode=disable", properties);
    }

    private void everyReadingOperation() {
        JsonNode document =
                service.send("GET", "/v3/api-docs", null).expect(200).json();
        for (Map.Entry<String, JsonNode> each : document.get("paths").properties()) {
            if (each.getValue().has("get")) {
                String path = each.getKey()
                        .replace("{domain}", "shop")
                        .replace("{database}", "main")
                        .replace("{name}", "none")
                        .replace("{id}", "none")
                        .replace("{number}", "0");
                assertThat(path).doesNotContain("{");
                tell(service.send("GET", path, null));
            }
        }
        tell(service.get("/audit?limit=500"));
    }

    private void tables() {
        JdbcClient store = service.bean(JdbcClient.class);
        List<String> names = store.sql(
                        "select table_name from information_schema.tables where table_schema = 'headgate'")
                .query(String.class)
                .list();
        assertThat(names).contains("target", "audit");
        assertThat(store.sql("select t::text from headgate.target t")
                        .query(String.class)
                        .list()
                        .toString())
                .contains("canary");
        for (String name : names) {
            for (String row : store.sql("select t::text from headgate." + name + " t")
                    .query(String.class)
                    .list()) {
                search("the table " + name, row);
            }
        }
    }

    private void dataFolder() throws IOException {
        for (Path folder : List.of(data, cluster)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    if (!KEPT.contains(folder.relativize(file).toString())) {
                        search("the file " + file, new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
                    }
                }
            }
        }
    }

    private void tell(Answer answer) {
        told.add(answer.response().headers().map() + answer.text());
    }

    private void search(String where, String text) {
        secrets.forEach((what, secret) -> {
            byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
            for (String shape : List.of(
                    secret,
                    HexFormat.of().formatHex(bytes),
                    Base64.getEncoder().withoutPadding().encodeToString(bytes))) {
                assertThat(text.contains(shape))
                        .as("%s is in %s: %s", what, where, text.substring(0, Math.min(text.length(), 500)))
                        .isFalse();
            }
        });
    }
}
