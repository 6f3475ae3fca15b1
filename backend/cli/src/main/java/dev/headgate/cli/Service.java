package dev.headgate.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls a running Headgate over HTTP with a token. Every call blocks for at most {@link #PATIENCE}. */
final class Service {

    /** Long enough for a large apply. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /** The most entries that a page may have. */
    private static final int PAGE = 500;

    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int ACCEPTED = 202;
    private static final int NO_CONTENT = 204;
    private static final int UNAUTHORIZED = 401;

    private final String address;
    private final String token;
    private final JsonMapper json = JsonMapper.builder().build();

    /**
     * @param url with or without {@code http://}, and a slash at its end
     * @param token the administrator's
     */
    Service(String url, String token) {
        String withScheme = url.contains("://") ? url : "http://" + url;
        this.address = withScheme.endsWith("/") ? withScheme.substring(0, withScheme.length() - 1) : withScheme;
        this.token = token;
    }

    /** Without a slash at the end. */
    String address() {
        return address;
    }

    /**
     * Sends a GET for a path below {@code /api/v1}.
     *
     * @return the answer, with a status of success
     * @throws CommandFailed if the service cannot be reached or answers with another status
     */
    HttpResponse<byte[]> get(String path) {
        return send(HttpRequest.newBuilder(uri(path)).GET());
    }

    /** Like {@link #get}, but returns the parsed JSON. */
    JsonNode getJson(String path) {
        return json(path, get(path));
    }

    /** Every entry of a list below {@code /api/v1}, page by page. */
    List<JsonNode> getItems(String path) {
        List<JsonNode> items = new ArrayList<>();
        String query = "?limit=" + PAGE;
        while (true) {
            JsonNode page = getJson(path + query);
            page.path("items").forEach(items::add);
            JsonNode next = page.path("nextCursor");
            if (!next.isString()) {
                return items;
            }
            query = "?limit=" + PAGE + "&cursor=" + encoded(next.asString());
        }
    }

    /** Like {@link #getJson}, but a POST without a body. */
    JsonNode postForJson(String path) {
        return json(path, send(HttpRequest.newBuilder(uri(path)).POST(BodyPublishers.noBody())));
    }

    /** A POST of a value as JSON, for an answer in JSON. */
    JsonNode postJson(String path, Object body) {
        return json(path, send(inJson(path).POST(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))));
    }

    private HttpRequest.Builder inJson(String path) {
        return HttpRequest.newBuilder(uri(path)).header("Content-Type", "application/json");
    }

    /** A PUT of a value as JSON, for an answer in JSON. */
    JsonNode putJson(String path, Object body) {
        return json(path, send(inJson(path).PUT(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))));
    }

    /** A PUT of a value as JSON where nothing is yet, for an answer in JSON. */
    JsonNode makeJson(String path, Object body) {
        return json(
                path,
                send(inJson(path)
                        .header("If-None-Match", "*")
                        .PUT(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))));
    }

    /** A PATCH of a value as JSON, for an answer in JSON. */
    JsonNode patchJson(String path, Object body) {
        BodyPublisher bytes = BodyPublishers.ofByteArray(json.writeValueAsBytes(body));
        return json(path, send(inJson(path).method("PATCH", bytes)));
    }

    /** Puts a body in place of the thing with that entity tag, and returns the parsed JSON of the answer. */
    JsonNode putJson(String path, Object body, String ifMatch) {
        return json(
                path,
                send(HttpRequest.newBuilder(uri(path))
                        .header("Content-Type", "application/json")
                        .header("If-Match", ifMatch)
                        .PUT(BodyPublishers.ofByteArray(json.writeValueAsBytes(body)))));
    }

    void delete(String path) {
        HttpResponse<byte[]> _ = send(HttpRequest.newBuilder(uri(path)).DELETE());
    }

    private JsonNode json(String path, HttpResponse<byte[]> answer) {
        try {
            return json.readTree(answer.body());
        } catch (JacksonException e) {
            throw CommandFailed.tried(
                    address + " does not answer as Headgate does: no JSON at /api/v1" + path.split("\\?", 2)[0]);
        }
    }

    /** A POST without a body, for an answer in plain text. */
    HttpResponse<byte[]> post(String path) {
        return send(inWords(path, BodyPublishers.noBody()));
    }

    /** A POST with a YAML body, for an answer in plain text. */
    HttpResponse<byte[]> postYaml(String path, byte[] yaml) {
        return send(inWords(path, BodyPublishers.ofByteArray(yaml)).header("Content-Type", "application/yaml"));
    }

    /** Encodes a value for a query. */
    static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private HttpRequest.Builder inWords(String path, BodyPublisher body) {
        return HttpRequest.newBuilder(uri(path)).header("Accept", "text/plain").POST(body);
    }

    private URI uri(String path) {
        try {
            URI uri = URI.create(address + "/api/v1" + path);
            if (uri.getHost() == null || !uri.getScheme().matches("https?")) {
                throw cannotBeAsked("it is no URL of HTTP");
            }
            return uri;
        } catch (IllegalArgumentException e) {
            throw cannotBeAsked("it is no URL of HTTP");
        }
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) {
        HttpResponse<byte[]> answer = exchange(request);
        return switch (answer.statusCode()) {
            case OK, CREATED, ACCEPTED, NO_CONTENT -> answer;
            case UNAUTHORIZED -> throw CommandFailed.tried(address + " does not take this token; see --token-file");
            default -> throw CommandFailed.refusedWith(words(answer));
        };
    }

    /** What an answer refuses: a problem in JSON as sentences, anything else unchanged. */
    private String words(HttpResponse<byte[]> answer) {
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        if (!answer.headers().firstValue("Content-Type").orElse("").startsWith("application/problem+json")) {
            return text;
        }
        try {
            JsonNode problem = json.readTree(text);
            StringBuilder words = new StringBuilder("headgate: ")
                    .append(problem.path("title").asString(""))
                    .append(": ")
                    .append(problem.path("detail").asString(""));
            problem.path("errors").forEach(fault -> {
                words.append("\n  ")
                        .append(fault.path("pointer").asString(""))
                        .append(' ')
                        .append(fault.path("message").asString(""));
                if (fault.path("allowed").isString()) {
                    words.append(" (allowed: ")
                            .append(fault.path("allowed").asString())
                            .append(')');
                }
            });
            return words.toString();
        } catch (JacksonException e) {
            return text;
        }
    }

    private HttpResponse<byte[]> exchange(HttpRequest.Builder request) {
        try {
            return client().send(
                            request.timeout(PATIENCE)
                                    .header("Authorization", "Bearer " + token)
                                    .build(),
                            BodyHandlers.ofByteArray());
        } catch (HttpTimeoutException e) {
            throw cannotBeAsked("it has not answered within " + PATIENCE.toMinutes() + " minutes");
        } catch (ConnectException e) {
            throw cannotBeAsked(
                    e.getCause() instanceof ConnectException cause
                                    && cause.getCause() instanceof UnresolvedAddressException
                            ? "its host is not known"
                            : "it does not take the connection");
        } catch (SSLException e) {
            throw cannotBeAsked(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw CommandFailed.tried(
                    address + " has ended the connection and has not answered (" + e.getMessage()
                            + "), so whether it has done what was asked is not known. Does Headgate still run there? See --url");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cannotBeAsked("it was interrupted");
        }
    }

    /** Never closed: closing would wait for its thread, and the process is about to end. */
    private HttpClient client() {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        if (!address.startsWith("https:")) {
            builder.sslContext(trustingNobody());
        }
        return builder.build();
    }

    /** Loads no certificates. The default would load all that the JDK trusts, which takes tenths of a second even without TLS. */
    private static SSLContext trustingNobody() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    private CommandFailed cannotBeAsked(String why) {
        return CommandFailed.tried(address + " cannot be asked: " + why + ". Is Headgate running there? See --url");
    }
}
