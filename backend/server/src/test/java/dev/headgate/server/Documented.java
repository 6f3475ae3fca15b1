package dev.headgate.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds the answers that tests get against the committed document: a status that the operation does not list is a fault. */
final class Documented {

    private static final List<Operation> OPERATIONS = operations();

    private Documented() {}

    private record Operation(String method, Pattern path, Set<String> statuses) {}

    static void check(String method, String path, int status) {
        for (Operation operation : OPERATIONS) {
            if (operation.method().equals(method)
                    && operation.path().matcher(path).matches()
                    && !operation.statuses().contains(String.valueOf(status))) {
                throw new AssertionError("openapi.json does not say that " + method + " " + path + " may answer with "
                        + status + ": see Refuses");
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
                                    operation.getKey().toUpperCase(java.util.Locale.ROOT),
                                    Pattern.compile(path.getKey().replaceAll("\\{[a-z]+}", "[^/]+")),
                                    operation.getValue().get("responses").properties().stream()
                                            .map(Map.Entry::getKey)
                                            .collect(Collectors.toSet())))));
            return operations;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
