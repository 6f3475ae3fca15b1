package dev.headgate.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds the answers that tests get against the committed document: a status that the operation does not list is a fault, and so
 * is a field that the status does not list.
 */
final class Documented {

    /** Fields of HTTP itself, and those that tell a browser what to do with any answer. */
    private static final Set<String> OF_ANY_ANSWER = fields(List.of(
            "Alt-Svc",
            "Cache-Control",
            "Connection",
            "Content-Disposition",
            "Content-Encoding",
            "Content-Length",
            "Content-Security-Policy",
            "Content-Type",
            "Cross-Origin-Opener-Policy",
            "Cross-Origin-Resource-Policy",
            "Date",
            "Expires",
            "Keep-Alive",
            "Permissions-Policy",
            "Pragma",
            "Referrer-Policy",
            "Strict-Transport-Security",
            "Transfer-Encoding",
            "Vary",
            "X-Content-Type-Options",
            "X-Frame-Options",
            "X-XSS-Protection"));

    /** The exact paths first. */
    private static final List<Operation> OPERATIONS = operations();

    private Documented() {}

    /** @param fields the names of the listed fields, by status */
    private record Operation(String method, Pattern path, Map<String, Set<String>> fields) {}

    static void check(String method, HttpResponse<?> answer) {
        String path = answer.request().uri().getPath();
        OPERATIONS.stream()
                .filter(operation -> operation.method().equals(method)
                        && operation.path().matcher(path).matches())
                .findFirst()
                .ifPresent(operation -> check(operation, method + " " + path, answer));
    }

    private static void check(Operation operation, String what, HttpResponse<?> answer) {
        Set<String> listed = operation.fields().get(String.valueOf(answer.statusCode()));
        if (listed == null) {
            throw new AssertionError("openapi.json does not say that " + what + " may answer with "
                    + answer.statusCode() + ": see Refuses");
        }
        for (String field : answer.headers().map().keySet()) {
            if (!OF_ANY_ANSWER.contains(field) && !listed.contains(field)) {
                throw new AssertionError("openapi.json does not say that " + what + " may answer with "
                        + answer.statusCode() + " and " + field);
            }
        }
    }

    private static List<Operation> operations() {
        if (Boolean.getBoolean("openapi.update")) {
            return List.of();
        }
        try {
            JsonNode document = JsonMapper.builder().build().readTree(Files.readString(Path.of("openapi.json")));
            List<Operation> operations = new ArrayList<>();
            document.get("paths")
                    .properties()
                    .forEach(path -> path.getValue()
                            .properties()
                            .forEach(operation -> operations.add(new Operation(
                                    operation.getKey().toUpperCase(Locale.ROOT),
                                    Pattern.compile(path.getKey().replaceAll("\\{[a-z]+}", "[^/]+")),
                                    fields(operation.getValue())))));
            operations.sort(
                    Comparator.comparing(operation -> operation.path().pattern().contains("[^/]+")));
            return operations;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Set<String>> fields(JsonNode operation) {
        Map<String, Set<String>> fields = new TreeMap<>();
        operation
                .get("responses")
                .properties()
                .forEach(response -> fields.put(
                        response.getKey(),
                        fields(response.getValue().path("headers").propertyNames())));
        return fields;
    }

    /** Their names, in upper or lower case. */
    private static Set<String> fields(Collection<String> names) {
        Set<String> fields = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        fields.addAll(names);
        return fields;
    }
}
