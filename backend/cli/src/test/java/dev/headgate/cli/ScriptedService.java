package dev.headgate.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An HTTP server that answers as it was told, and remembers what it was asked. It takes the token {@link #TOKEN} alone. */
final class ScriptedService implements AutoCloseable {

    static final String TOKEN = "tok-123";

    /** Instead of a status: no answer, and the end of the connection. */
    static final int NONE = 0;

    record Asked(
            String method,
            String uri,
            @Nullable String accept,
            @Nullable String contentType,
            @Nullable String ifNoneMatch,
            String body) {}

    private record Answer(int status, String body, Map<String, String> headers) {}

    private final HttpServer server;
    private final Map<String, Answer> answers = new HashMap<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    ScriptedService() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Before the first request. A path with a query is answered before the same path without. */
    ScriptedService answering(String path, int status, String body, String... headers) {
        Map<String, String> named = new HashMap<>();
        for (int i = 0; i < headers.length; i += 2) {
            named.put(headers[i], headers[i + 1]);
        }
        answers.put("/api/v1" + path, new Answer(status, body, named));
        return this;
    }

    List<Asked> asked() {
        return List.copyOf(asked);
    }

    Asked only() {
        if (asked.size() != 1) {
            throw new AssertionError("asked " + asked);
        }
        return asked.getFirst();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            asked.add(new Asked(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders().getFirst("Accept"),
                    exchange.getRequestHeaders().getFirst("Content-Type"),
                    exchange.getRequestHeaders().getFirst("If-None-Match"),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            boolean allowed =
                    ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
            Answer answer = allowed
                    ? answers.getOrDefault(
                            exchange.getRequestURI().toString(),
                            answers.getOrDefault(
                                    exchange.getRequestURI().getPath(), new Answer(404, "nothing here", Map.of())))
                    : new Answer(401, "who?", Map.of());
            if (answer.status() == NONE) {
                return;
            }
            answer.headers().forEach(exchange.getResponseHeaders()::add);
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
