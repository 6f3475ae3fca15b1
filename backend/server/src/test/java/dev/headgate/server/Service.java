package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Database;
import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.Engine;
import dev.headgate.server.access.AdminToken;
import dev.headgate.server.store.EmbeddedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A running Headgate, on a free port and a data folder of its own, with a PostgreSQL database to manage. {@link #shared} is
 * one for all tests that can live with what others left in it: they use names of their own.
 */
public final class Service implements AutoCloseable {

    /** The database that tests let Headgate connect to, on the embedded server. */
    public static final String TARGET = "target";

    public static final String TARGET_PASSWORD = "s3cret-of-target";

    /** How long a test waits for what the service does on threads of its own before it fails. */
    public static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static Service shared;
    private static Path cluster;

    private final ConfigurableApplicationContext context;
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI root;
    private final String token;

    public static synchronized Service shared() throws IOException {
        if (shared == null) {
            Path data = Files.createTempDirectory("headgate-test");
            Service service = start(data, "--headgate.secrets.folder=" + System.getProperty("java.io.tmpdir"));
            shared = service;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                service.close();
                delete(data);
            }));
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
        }
        return shared;
    }

    public static Service start(Path data, String... more) throws IOException {
        PluginJars.writeTo(data.resolve("plugins"));
        if (!Files.exists(data.resolve("postgres"))) {
            copyClusterTo(data.resolve("postgres"));
        }
        Service service = new Service(run(data, more));
        service.embedded().ensureDatabase(TARGET, TARGET, TARGET_PASSWORD);
        return service;
    }

    /**
     * A cluster like that of a first start, without the seconds of initdb: it is made once and copied. Each copy is given a port
     * of its own. A server without one takes the first that is free, so tests in two JVMs would take the port of a server that
     * is being restarted.
     */
    private static synchronized void copyClusterTo(Path folder) throws IOException {
        if (cluster == null) {
            Path made = Files.createTempDirectory("headgate-cluster");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(made)));
            EmbeddedServer.start(made).close();
            cluster = made.resolve("postgres");
        }
        Files.createDirectory(folder);
        for (String each : List.of("cluster", "password")) {
            try (Stream<Path> files = Files.walk(cluster.resolve(each))) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    Files.copy(
                            file,
                            folder.resolve(cluster.relativize(file).toString()),
                            StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Files.writeString(folder.resolve("port"), free.getLocalPort() + "\n");
        }
    }

    /** Starts on a folder that an earlier service has left. */
    public static Service startAsItIs(Path data, String... more) {
        return new Service(run(data, more));
    }

    /** Only starts it, and throws what keeps it from starting. */
    public static ConfigurableApplicationContext run(Path data, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--headgate.data=" + data,
                "--headgate.port=0",
                "--headgate.wire.port=0",
                "--headgate.demo=false",
                "--headgate.plugins=" + data.resolve("plugins"),
                "--headgate.frontend=" + data.resolve("frontend")));
        for (String option : more) {
            // Spring would make a list of an option that is given twice.
            arguments.removeIf(before -> before.startsWith(option.substring(0, option.indexOf('=') + 1)));
            arguments.add(option);
        }
        SpringApplication application = new SpringApplication(Headgate.class);
        application.setRegisterShutdownHook(false);
        return application.run(arguments.toArray(String[]::new));
    }

    private Service(ConfigurableApplicationContext context) {
        this.context = context;
        this.root = URI.create("http://127.0.0.1:"
                + ((WebServerApplicationContext) context).getWebServer().getPort());
        this.token = context.getBean(AdminToken.class).value();
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Lets the store refuse to commit whatever is audited as this action, until it is closed. */
    public Refusal refuseToCommit(String action) {
        JdbcClient store = bean(JdbcClient.class);
        store.sql("""
                create function refuse_audit() returns trigger language plpgsql as
                $$ begin raise exception 'not today'; end $$""").update();
        store.sql("""
                create constraint trigger refuse_audit after insert on audit deferrable initially deferred for each row
                when (new.action = '%s') execute function refuse_audit()""".formatted(action)).update();
        return () -> store.sql("drop function refuse_audit() cascade").update();
    }

    /** Ends when it is closed. */
    public interface Refusal extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * At the end of a test that hurts a server or a connection: every entry of a ledger is an open socket and a connection of a pool. Waits
     * for what is being opened or closed just now, and for the probes to be gone. The audit repairs a leak meanwhile, so one that has
     * repaired anything since the service started fails the test.
     */
    public void assertExactLedgers() {
        Collection<Database> databases = bean(Engine.class).databases();
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(databases).allSatisfy(Service::assertEveryEntryIsASocket));
        assertThat(databases)
                .allSatisfy(database -> assertThat(database.status().audit().repaired())
                        .as("differences that the audit of %s has repaired", database.name())
                        .isZero());
    }

    private static void assertEveryEntryIsASocket(Database database) {
        DatabaseStatus status = database.status();
        assertThat(status.audit().sockets())
                .as("sockets of %s", database.name())
                .isEqualTo(status.open());
        assertThat(database.pools().stream()
                        .mapToInt(pool -> pool.connections().size())
                        .sum())
                .as("connections of %s", database.name())
                .isEqualTo(status.open());
    }

    public EmbeddedServer embedded() {
        return bean(EmbeddedServer.class);
    }

    public String token() {
        return token;
    }

    public URI root() {
        return root;
    }

    public String databaseBody(String name, int budget) {
        return """
                {"name": "%s", "host": "127.0.0.1", "port": %d, "database": "%s", "user": "%s", "password": "%s",
                 "sslMode": "disable", "budget": %d}""".formatted(name, embedded().port(), TARGET, TARGET, TARGET_PASSWORD, budget);
    }

    /** Adds a client of the wire port to a domain. Returns its password. */
    public String client(String domain, String name) {
        return post("/domains/" + domain + "/clients", "{\"name\": \"" + name + "\"}")
                .expect(201)
                .json()
                .get("password")
                .asString();
    }

    /** Makes a domain on "main" with the given policies. */
    public void domain(String name, String policies) {
        post(
                        "/domains",
                        "{\"name\": \"%s\", \"database\": \"main\", \"policySet\": {\"policies\": %s}}"
                                .formatted(name, policies))
                .expect(201);
    }

    public Answer get(String path, String... headers) {
        return send("GET", "/api/v1" + path, null, headers);
    }

    public Answer post(String path, String body, String... headers) {
        return send("POST", "/api/v1" + path, body, headers);
    }

    public Answer put(String path, String body, String... headers) {
        return send("PUT", "/api/v1" + path, body, headers);
    }

    public Answer patch(String path, String body, String... headers) {
        return send("PATCH", "/api/v1" + path, body, headers);
    }

    public Answer delete(String path) {
        return send("DELETE", "/api/v1" + path, null);
    }

    /** Uploads bytes, with the administrator's token. */
    public Answer upload(String path, byte[] bytes, String contentType) {
        HttpRequest request = HttpRequest.newBuilder(root.resolve("/api/v1" + path))
                .header("Content-Type", contentType)
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofByteArray(bytes))
                .build();
        return send(request);
    }

    /** Uploads bytes without saying how many, with the administrator's token. */
    public Answer chunked(String path, byte[] bytes, String contentType) {
        return send(HttpRequest.newBuilder(root.resolve("/api/v1" + path))
                .header("Content-Type", contentType)
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(bytes)))
                .build());
    }

    /** With the administrator's token. */
    public Answer send(String method, String path, String body, String... headers) {
        String[] all = Stream.concat(Arrays.stream(headers), Stream.of("Authorization", "Bearer " + token))
                .toArray(String[]::new);
        return sendAnonymous(method, path, body, all);
    }

    public Answer sendAnonymous(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(root.resolve(path))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (body != null && !Arrays.asList(headers).contains("Content-Type")) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request.build());
    }

    private Answer send(HttpRequest request) {
        try {
            Answer answer = new Answer(http.send(request, HttpResponse.BodyHandlers.ofString()));
            Documented.check(request.method(), answer.response());
            return answer;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What came back. */
    public record Answer(int status, String text, HttpResponse<String> response) {

        Answer(HttpResponse<String> response) {
            this(response.statusCode(), response.body(), response);
        }

        public Answer expect(int wanted) {
            if (status != wanted) {
                throw new AssertionError("expected " + wanted + " but was " + status + ": " + text);
            }
            return this;
        }

        public JsonNode json() {
            return JSON.readTree(text);
        }

        /** The last segment of a problem's type. */
        public String problem() {
            String type = json().get("type").asString();
            return type.substring(type.lastIndexOf('/') + 1);
        }

        /** The fault at a pointer, as "message | allowed"; null if there is none. */
        public String fault(String pointer) {
            JsonNode errors = json().get("errors");
            for (int i = 0; errors != null && i < errors.size(); i++) {
                JsonNode error = errors.get(i);
                if (error.get("pointer").asString().equals(pointer)) {
                    return error.get("message").asString()
                            + (error.has("allowed")
                                    ? " | " + error.get("allowed").asString()
                                    : "");
                }
            }
            return null;
        }

        public String header(String name) {
            return response.headers().firstValue(name).orElse(null);
        }
    }

    @Override
    public void close() {
        http.close();
        context.close();
    }

    public static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
