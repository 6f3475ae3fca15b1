package dev.headgate.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Runs every command once against a server with fixed answers, so that the JVM can record the classes that a command loads
 * (JEP 514). With that cache a command takes a third less time. Only {@code backend/cli/run.sh} starts this, after a build.
 */
final class Training {

    private Training() {}

    public static void main(String[] arguments) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", Training::answer);
        server.start();
        Path file = Files.createTempFile("headgate-training", ".yaml");
        try (PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            Surroundings surroundings = new Surroundings(
                    Map.of("HEADGATE_TOKEN", "training", "HEADGATE_URL", url), Path.of(""), nowhere, nowhere);
            Headgate.run(surroundings, "diff", file.toString());
            Headgate.run(surroundings, "apply", file.toString());
            Headgate.run(surroundings, "apply", "--release", "bank");
            Headgate.run(surroundings, "export");
            Headgate.run(surroundings, "status");
            Headgate.run(surroundings, "login");
            Headgate.run(surroundings, "lab");
            Headgate.run(surroundings, "diff", "--unknown");
        } finally {
            Files.delete(file);
            server.stop(0);
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            byte[] body =
                    "{\"items\": [{\"name\": \"bank\", \"pool\": {\"latency\": {\"count\": 1, \"meanMs\": 1.5}}}]}"
                            .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Headgate-Changes", "0");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
