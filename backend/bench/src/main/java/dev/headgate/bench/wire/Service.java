package dev.headgate.bench.wire;

import dev.headgate.bench.Cores;
import dev.headgate.bench.Folder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Headgate as a user starts it: {@code ./headgate up} on a fresh data folder, with its own heap of 512 MB. Either with the demo,
 * or with one database and one domain with ten connections, made over REST. It offers TLS with a certificate of its own.
 */
final class Service implements AutoCloseable {

    static final String DOMAIN = "bench";
    static final String CLIENT = "app";
    static final String PASSWORD = "bench-wire-password";
    static final int CONNECTIONS = 10;

    /** More clients than any row has. */
    static final int MOST_CLIENTS = 6_000;

    private static final int START_SECONDS = 120;
    private static final int STOP_SECONDS = 60;

    private final Folder folder;
    private final int port;
    private final int wirePort;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> command;
    private final Map<String, String> environment;
    private @Nullable Process script;
    private ProcessHandle jvm;

    /** Changes with {@link #restart}. */
    PostgresServer server;

    /** Starts the service with its PostgreSQL on the server's core. Returns when all its connections are open. */
    static Service start() throws Exception {
        return start(Map.of());
    }

    /** The same with variables of the environment, such as HEADGATE_JAVA_OPTIONS. */
    static Service start(Map<String, String> environment) throws Exception {
        return start(environment, false);
    }

    /** Starts the service with the demo's domains and loads instead. */
    static Service startDemo() throws Exception {
        return start(Map.of(), true);
    }

    private static Service start(Map<String, String> environment, boolean demo) throws Exception {
        Folder folder = Folder.create("service");
        try {
            return new Service(folder, Ports.free(), Ports.free(), environment, demo);
        } catch (Exception e) {
            folder.close();
            throw e;
        }
    }

    private Service(Folder folder, int port, int wirePort, Map<String, String> environment, boolean demo)
            throws Exception {
        this.environment = environment;
        this.folder = folder;
        this.port = port;
        this.wirePort = wirePort;
        Path config = folder.write("headgate.yaml", "headgate.wire.tls-self-signed: true\n");
        String checkout = System.getProperty("headgate.checkout", ".");
        List<String> up = List.of(
                checkout + "/headgate",
                "up",
                "--port=" + port,
                "--wire-port=" + wirePort,
                "--data=" + data(),
                "--config=" + config);
        command = demo ? up : Stream.concat(up.stream(), Stream.of("--no-demo")).toList();
        Runtime.getRuntime().addShutdownHook(new Thread(this::destroy)); // also if the benchmark is interrupted
        launch();
        try {
            if (!demo) {
                prepare();
            }
        } catch (Exception e) {
            stop();
            throw e;
        }
    }

    private void launch() throws Exception {
        Path log = folder.path().resolve("log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        script = builder.start();
        try {
            Await.until("the service is ready", START_SECONDS, () -> {
                if (!script.isAlive()) {
                    throw new IOException("./headgate up ended: " + Files.readString(log));
                }
                return Files.readString(log).contains("Headgate is ready");
            });
            jvm = script.descendants()
                    .filter(each -> each.info().command().orElse("").endsWith("/java"))
                    .findFirst()
                    .orElseThrow();
            server = PostgresServer.in(data());
            Cores.pin(server.postmaster(), Cores.SERVER);
        } catch (Exception e) {
            stop();
            throw e;
        }
    }

    /** Stops the service with its PostgreSQL and starts both on the same data. Returns the seconds that the start took. */
    double restart() throws Exception {
        stop();
        long began = System.nanoTime();
        launch();
        return (System.nanoTime() - began) / 1e9;
    }

    private void prepare() throws Exception {
        server.direct(PostgresServer.USER).sql("create database " + PostgresServer.DATABASE);
        create("/api/v1/databases", """
                {"name": "main", "host": "127.0.0.1", "port": %d, "database": "%s", "user": "%s", "password": "%s",
                 "sslMode": "disable", "budget": %d}""".formatted(
                server.port(), PostgresServer.DATABASE, PostgresServer.USER, server.password(), CONNECTIONS + 5));
        create("/api/v1/domains", """
                {"name": "%s", "database": "main", "wire": {"mode": "transaction", "maxClients": %d},
                 "policySet": {"policies": [{"plugin": "min-max", "parameters": {"min": %d, "max": %d}}],
                               "whenExhausted": {"mode": "queue", "timeoutMs": 60000, "depth": 10000}}}""".formatted(DOMAIN, MOST_CLIENTS, CONNECTIONS, CONNECTIONS));
        createClient(DOMAIN);
        Await.until(
                "the pool is full",
                60,
                () -> get("/api/v1/domains/" + DOMAIN + "/pool").contains("\"size\":" + CONNECTIONS));
    }

    Side side() {
        return side(DOMAIN);
    }

    Path certificate() {
        return data().resolve("wire-tls.crt");
    }

    Path key() {
        return data().resolve("wire-tls.key");
    }

    /** Moves the JVM with its compiler and collector to the pooler's core. */
    void pin() throws IOException, InterruptedException {
        Cores.pin(jvm, Cores.POOLER);
    }

    Footprint footprint() {
        return new Footprint(jvm);
    }

    /** Clients of the wire port, from the service's metrics, which count once a second. */
    int clients() throws IOException, InterruptedException {
        return (int) get("/actuator/prometheus")
                .lines()
                .filter(line -> line.startsWith("headgate_wire_clients{") && line.contains("\"" + DOMAIN + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private Path data() {
        return folder.path().resolve("data");
    }

    /** The answer to a GET. */
    String get(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString());
        return expect(200, answer);
    }

    /** A GET over a connection of its own. */
    void getAnew(String path) throws IOException, InterruptedException {
        try (HttpClient anew = HttpClient.newHttpClient()) {
            String _ = expect(200, anew.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString()));
        }
    }

    /** Of the API, without a path. */
    String address() {
        return "http://127.0.0.1:" + port;
    }

    int httpPort() {
        return port;
    }

    int wirePort() {
        return wirePort;
    }

    String token() throws IOException {
        return Files.readString(data().resolve("admin-token")).strip();
    }

    /**
     * Changes something over REST.
     *
     * @param headers names and values in turn
     * @return the answer, whose status is one of 2xx
     */
    HttpResponse<String> change(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = send(method, path, body, headers);
        if (answer.statusCode() / 100 != 2) {
            throw new IOException(answer.uri() + " answered " + answer.statusCode() + ": " + answer.body());
        }
        return answer;
    }

    /** Creates something over REST. */
    void create(String path, String body) throws IOException, InterruptedException {
        expect(201, send("POST", path, body));
    }

    /**
     * Creates a domain that queues, with a database of its own.
     *
     * @param port of the PostgreSQL, or of a link to it
     * @param least connections that stay open
     * @param most connections
     */
    void createDomain(String name, int port, String database, int least, int most)
            throws IOException, InterruptedException {
        create("/api/v1/databases", """
                {"name": "%s", "host": "127.0.0.1", "port": %d, "database": "%s", "user": "%s", "password": "%s",
                 "sslMode": "disable", "budget": %d}""".formatted(name, port, database, PostgresServer.USER, server.password(), most));
        create("/api/v1/domains", """
                {"name": "%s", "database": "%s",
                 "policySet": {"policies": [{"plugin": "min-max", "parameters": {"min": %d, "max": %d}}],
                               "whenExhausted": {"mode": "queue", "timeoutMs": 600000, "depth": 10000}}}""".formatted(name, name, least, most));
    }

    /** Deletes a domain that {@link #createDomain} made, with its database. */
    void deleteDomain(String name) throws IOException, InterruptedException {
        expect(204, send("DELETE", "/api/v1/domains/" + name, ""));
        expect(204, send("DELETE", "/api/v1/databases/" + name, ""));
    }

    void createClient(String domain) throws IOException, InterruptedException {
        create(
                "/api/v1/domains/" + domain + "/clients",
                "{\"name\": \"%s\", \"password\": \"%s\"}".formatted(CLIENT, PASSWORD));
    }

    /** A client of another domain, with the same name and password. */
    Side side(String domain) {
        return new Side("headgate", wirePort, domain, CLIENT, PASSWORD, jvm);
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) throws IOException {
        return HttpRequest.newBuilder(URI.create(address() + path)).header("Authorization", "Bearer " + token());
    }

    private static String expect(int status, HttpResponse<String> answer) throws IOException {
        if (answer.statusCode() != status) {
            throw new IOException(answer.uri() + " answered " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    @Override
    public void close() throws Exception {
        http.close();
        stop();
        folder.close();
    }

    private void destroy() {
        Process running = script;
        if (running != null) {
            running.destroy();
        }
    }

    private void stop() throws InterruptedException {
        Process running = Objects.requireNonNull(script);
        running.destroy();
        if (!running.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            System.out.println("  the service did not stop within " + STOP_SECONDS + " s, and is killed");
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly().waitFor();
        }
    }
}
