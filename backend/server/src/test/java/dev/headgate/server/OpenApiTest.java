package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The committed {@code openapi.json} is what the service says of itself; the dashboard's types are generated from it. When
 * the API has changed on purpose: {@code mvn -pl backend/server -am test -Dtest=OpenApiTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dopenapi.update=true}.
 */
class OpenApiTest {

    private static final Path COMMITTED = Path.of("openapi.json");
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    @Test
    void theCommittedDocumentIsWhatTheServiceSays() throws IOException {
        JsonNode document =
                Service.shared().send("GET", "/v3/api-docs", null).expect(200).json();
        ((tools.jackson.databind.node.ObjectNode) document).remove("servers");
        String text = JSON.writeValueAsString(sorted(document)) + "\n";
        if (Boolean.getBoolean("openapi.update")) {
            Files.writeString(COMMITTED, text);
        }
        assertThat(Files.readString(COMMITTED))
                .as(
                        "openapi.json is stale: run this test with -Dopenapi.update=true and generate the dashboard's types")
                .isEqualTo(text);
    }

    @Test
    void itIsOpenApi31WithTheNamesThatTheDashboardUses() throws IOException {
        JsonNode document =
                Service.shared().send("GET", "/v3/api-docs", null).expect(200).json();
        assertThat(document.get("openapi").asString()).startsWith("3.1");
        JsonNode schemas = document.get("components").get("schemas");
        assertThat(schemas.properties().stream().map(Map.Entry::getKey))
                .contains(
                        "Pool",
                        "Domain",
                        "Database",
                        "Connection",
                        "PolicySet",
                        "PolicySetRevision",
                        "Plan",
                        "PolicyPlugin",
                        "AuditEntry",
                        "Problem",
                        "Violation",
                        "Session")
                .noneMatch(name -> name.endsWith("Json") || name.endsWith("Request"));
        assertThat(schemas.get("Domain").get("required").toString())
                .contains("pool")
                .contains("tier");
        assertThat(schemas.get("DatabaseCreate").get("required").toString())
                .contains("host")
                .doesNotContain("password");
        assertThat(schemas.get("Problem").get("required").toString()).doesNotContain("currentRevision");
    }

    @Test
    void theKindsOfDecisionsAreThoseOfTheEngine() throws IOException {
        JsonNode paths = Service.shared()
                .send("GET", "/v3/api-docs", null)
                .expect(200)
                .json()
                .get("paths");
        for (String path : List.of("/api/v1/decisions", "/api/v1/domains/{domain}/decisions")) {
            JsonNode kind = paths.get(path)
                    .at("/get/parameters")
                    .valueStream()
                    .filter(parameter -> parameter.get("name").asString().equals("kind"))
                    .findFirst()
                    .orElseThrow();
            assertThat(kind.at("/schema/enum").valueStream().map(JsonNode::asString))
                    .as(path)
                    .containsExactlyInAnyOrderElementsOf(Arrays.stream(Decision.Kind.values())
                            .map(Decision.Kind::label)
                            .toList());
        }
    }

    @Test
    void everyOperationSaysThatItMayAnswerWithAProblem() throws IOException {
        JsonNode document =
                Service.shared().send("GET", "/v3/api-docs", null).expect(200).json();
        eachOperation(
                document,
                (path, operation) -> assertThat(operation
                                .getValue()
                                .at("/responses/default/content/application~1problem+json/schema/$ref")
                                .asString(""))
                        .as(operation.getKey() + " " + path)
                        .isEqualTo("#/components/schemas/Problem"));
    }

    /** @param each takes a path, and one of its operations by its method */
    private static void eachOperation(JsonNode document, BiConsumer<String, Map.Entry<String, JsonNode>> each) {
        document.get("paths")
                .properties()
                .forEach(path ->
                        path.getValue().properties().forEach(operation -> each.accept(path.getKey(), operation)));
    }

    /** Statements are not counted: the gate bounds them. */
    @Test
    void everyAnswerThatIsCountedTellsWhatIsLeft() throws IOException {
        JsonNode document =
                Service.shared().send("GET", "/v3/api-docs", null).expect(200).json();
        eachOperation(
                document,
                (path, operation) -> operation.getValue().get("responses").properties().stream()
                        .filter(response -> !response.getKey().equals("default"))
                        .forEach(response -> assertThat(
                                        response.getValue().path("headers").has("RateLimit"))
                                .as(operation.getKey() + " " + path + " " + response.getKey())
                                .isEqualTo(operation.getKey().equals("get")
                                        || !path.startsWith("/api/v1/domains/{domain}/sql"))));
        for (String field : List.of("RateLimit", "RateLimit-Policy")) {
            JsonNode header = document.get("components").get("headers").get(field);
            assertThat(header.get("description").asString()).contains("draft-ietf-httpapi-ratelimit-headers");
            assertThat(header.at("/schema/type").asString()).isEqualTo("string");
        }
    }

    @Test
    void aRequestsBoundsAndItsRefusalOfUnknownFieldsAreTold() throws IOException {
        JsonNode schemas = Service.shared()
                .send("GET", "/v3/api-docs", null)
                .expect(200)
                .json()
                .get("components")
                .get("schemas");
        assertThat(schemas.at("/DatabaseCreate/properties/port").toString())
                .contains("\"minimum\":1", "\"maximum\":65535");
        for (String request : List.of(
                "DatabaseCreate", "DatabasePatch", "DomainCreate", "PolicySet", "SessionCreate", "WhenExhausted")) {
            assertThat(schemas.at("/" + request + "/additionalProperties").asBoolean(true))
                    .as(request)
                    .isFalse();
        }
        assertThat(schemas.at("/Domain/properties/tier/anyOf/0/enum").toString())
                .isEqualTo("[\"gold\",\"silver\",\"bronze\"]");
        assertThat(schemas.at("/Domain/properties/tier/anyOf/1/type").asString())
                .isEqualTo("null");
        assertThat(schemas.at("/WhenExhausted/required").toString()).isEqualTo("[\"mode\"]");
    }

    @Test
    void whatNamesIdsAndCursorsAreMadeOfIsTold() throws IOException {
        JsonNode paths = Service.shared()
                .send("GET", "/v3/api-docs", null)
                .expect(200)
                .json()
                .get("paths");
        paths.properties()
                .forEach(path -> path.getValue()
                        .properties()
                        .forEach(operation -> operation
                                .getValue()
                                .path("parameters")
                                .valueStream()
                                .filter(parameter -> parameter
                                                .get("in")
                                                .asString()
                                                .equals("path")
                                        || parameter.get("name").asString().equals("cursor"))
                                .filter(parameter ->
                                        parameter.at("/schema/type").asString().equals("string"))
                                .forEach(parameter -> assertThat(
                                                parameter.at("/schema/pattern").asString(""))
                                        .as(operation.getKey() + " " + path.getKey() + " " + parameter.get("name"))
                                        .startsWith("^"))));
        assertThat(paths.at("/~1api~1v1~1domains~1{domain}/get/parameters/0/schema/pattern")
                        .asString())
                .isEqualTo("^[a-z][a-z0-9-]{0,62}$");
    }

    @Test
    void anIfMatchLooksLikeTheETagThatItRepeats() throws IOException {
        JsonNode document =
                Service.shared().send("GET", "/v3/api-docs", null).expect(200).json();
        JsonNode tag = document.at("/components/headers/ETag/schema/pattern");
        List<String> taking = new ArrayList<>();
        eachOperation(
                document,
                (path, operation) -> operation
                        .getValue()
                        .path("parameters")
                        .valueStream()
                        .filter(parameter -> parameter.get("name").asString().equals("If-Match"))
                        .forEach(parameter -> {
                            taking.add(operation.getKey() + " " + path);
                            assertThat(parameter.at("/schema/pattern"))
                                    .as(taking.getLast())
                                    .isEqualTo(tag);
                        }));
        assertThat(taking).contains("patch /api/v1/domains/{domain}", "put /api/v1/domains/{domain}/policies");
    }

    private static Object sorted(JsonNode document) {
        Object plain = JSON.treeToValue(document, Object.class);
        return plain instanceof Map<?, ?> map ? deep(map) : plain;
    }

    private static Object deep(Object value) {
        if (value instanceof Map<?, ?> map) {
            java.util.TreeMap<String, Object> sorted = new java.util.TreeMap<>();
            map.forEach((key, inner) -> sorted.put(String.valueOf(key), deep(inner)));
            return sorted;
        }
        if (value instanceof java.util.List<?> list) {
            return list.stream().map(OpenApiTest::deep).toList();
        }
        return value;
    }
}
