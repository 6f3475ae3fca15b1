package dev.headgate.bench.wire;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Headgate as a user starts it: {@code ./headgate up --no-demo} on a fresh data folder, with its own heap of 512 MB, one
 * database and one domain with ten connections, made over REST. It offers TLS with a certificate of its own.
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

    final PostgresServer server;
    private final Folder folder;
    private final Process script;
    private final ProcessHandle jvm;
    private final int port;
    private final int wirePort;
    private final HttpClient http = HttpClient.newHttpClient();

    /** Starts the service with its PostgreSQL on the server's core. Returns when all its connections are open. */
    static Service start() throws Exception {
        Folder folder = Folder.create("service");
        try {
            return new Service(folder, Ports.free(), Ports.free());
        } catch (Exception e) {
            folder.close();
            throw e;
        }
    }

    private Service(Folder folder, int port, int wirePort) throws Exception {
        this.folder = folder;
        this.port = port;
        this.wirePort = wirePort;
        Path log = folder.path().resolve("log");
        Path config = folder.write("headgate.yaml", "headgate.wire.tls-self-signed: true\n");
        String checkout = System.getProperty("headgate.checkout", ".");
        script = new ProcessBuilder(
                        checkout + "/headgate",
                        "up",
                        "--no-demo",
                        "--port=" + port,
                        "--wire-port=" + wirePort,
                        "--data=" + data(),
                        "--config=" + config)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(script::destroy)); // also if the benchmark is interrupted
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
            prepare();
        } catch (Exception e) {
            stop();
            throw e;
        }
    }

    private void prepare() throws Exception {
        server.direct(PostgresServer.USER).sql("create database " + PostgresServer.DATABASE);
        expect(201, send("POST", "/api/v1/databases", """
                {"name": "main", "host": "127.0.0.1", "port": %d, "database": "%s", "user": "%s", "password": "%s",
                 "sslMode": "disable", "budget": %d}""".formatted(
                server.port(), PostgresServer.DATABASE, PostgresServer.USER, server.password(), CONNECTIONS + 5)));
        expect(201, send("POST", "/api/v1/domains", """
                {"name": "%s", "database": "main", "wire": {"mode": "transaction", "maxClients": %d},
                 "policySet": {"policies": [{"plugin": "min-max", "parameters": {"min": %d, "max": %d}}],
                               "whenExhausted": {"mode": "queue", "timeoutMs": 60000, "depth": 10000}}}""".formatted(DOMAIN, MOST_CLIENTS, CONNECTIONS, CONNECTIONS)));
        expect(
                201,
                send(
                        "POST",
                        "/api/v1/domains/" + DOMAIN + "/clients",
                        "{\"name\": \"%s\", \"password\": \"%s\"}".formatted(CLIENT, PASSWORD)));
        Await.until(
                "the pool is full",
                60,
                () -> get("/api/v1/domains/" + DOMAIN + "/pool").contains("\"size\":" + CONNECTIONS));
    }

    Side side() {
        return new Side("headgate", wirePort, DOMAIN, CLIENT, PASSWORD, jvm);
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

    /** Changes how the domain treats unnamed statements of later clients. Returns false if this build has no such setting. */
    boolean unnamedStatements(String setting) throws IOException, InterruptedException {
        HttpResponse<String> answer = send(
                "PATCH", "/api/v1/domains/" + DOMAIN, "{\"wire\": {\"unnamedStatements\": \"%s\"}}".formatted(setting));
        return answer.statusCode() == 200;
    }

    private Path data() {
        return folder.path().resolve("data");
    }

    private String get(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString());
        return expect(200, answer);
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) throws IOException {
        String token = Files.readString(data().resolve("admin-token")).strip();
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + token);
    }

    private static String expect(int status, HttpResponse<String> answer) throws IOException {
        if (answer.statusCode() != status) {
            throw new IOException(answer.uri() + " answered " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    @Override
    public void close() throws Exception {
        stop();
        folder.close();
    }

    private void stop() throws InterruptedException {
        http.close();
        script.destroy();
        if (!script.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            System.out.println("  the service did not stop within " + STOP_SECONDS + " s, and is killed");
            script.descendants().forEach(ProcessHandle::destroyForcibly);
            script.destroyForcibly().waitFor();
        }
    }
}
