package dev.headgate.server;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Bodies as a schema of the OpenAPI document describes them, and spoilt ones. */
final class HostileJson {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Stands for a wrong value until the text is made. */
    private static final String UNQUOTED = "@@";

    private static final String MARK = '"' + UNQUOTED + '"';

    /** Written as they are, in place of a value. */
    private static final String[] VALUES = {
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "5.0",
        "1e400",
        "-1e-400",
        "2147483648",
        "9223372036854775808",
        "1" + "0".repeat(99),
        "1" + "0".repeat(200),
        "-0",
        "NaN",
        "Infinity",
        "01",
        "0x10",
        "\"\"",
        "\" \"",
        "\"\\u0000\"",
        "\"a\\u0000b\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"\ud83d\ude00\"",
        "\"\u202e\"",
        "\"../../../etc/passwd\"",
        "\"%00\"",
        "\"' or 1=1 --\"",
        "\"${jndi:ldap://127.0.0.1/a}\"",
        "\"<script>\"",
        "\"A\"",
        "\"main\"",
        "\"*\"",
        "\"" + "a".repeat(64) + "\"",
        "\"" + "a".repeat(1_001) + "\"",
        "\"" + "\u00e9".repeat(150_000) + "\"",
        "[]",
        "{}",
        "[[]]",
        "[null]",
        "[{}]",
        "{\"\":1}",
        "{\"a\":1,\"a\":2}",
        "[".repeat(60) + "]".repeat(60),
        "{\"a\":".repeat(200) + "1" + "}".repeat(200),
        "[" + "1,".repeat(3_000) + "1]",
        "\"2026-11-23T00:00:00Z\"",
        "",
        "'a'",
        "\"\n\"",
        "\"\\x\"",
        "\"unended",
        "/**/1",
        "#"
    };

    private final JsonNode schemas;
    private final Map<String, String> known;

    /** @param known values that make sense, by the name of the field, as JSON */
    HostileJson(JsonNode schemas, Map<String, String> known) {
        this.schemas = schemas;
        this.known = known;
    }

    /** A body for a schema: one in three as it should be, the others {@linkplain #wrong wrong}. */
    byte[] body(JsonNode schema, SplittableRandom random) {
        JsonNode right = value("", schema, random);
        return random.nextInt(3) == 0 ? bytes(right.toString()) : wrong(right, random);
    }

    /** A body that is wrong in one place, in two or three, or as a whole. What is put there may be right, too, but never the same. */
    static byte[] wrong(JsonNode right, SplittableRandom random) {
        byte[] same = bytes(right.toString());
        byte[] made = same;
        while (Arrays.equals(made, same)) {
            made = switch (random.nextInt(16)) {
                case 0 -> bytes(VALUES[random.nextInt(VALUES.length)]);
                case 1, 2 -> spoilt(same, random);
                case 3 -> spoilt(bytes(withWrongValues(right, 1, random)), random);
                case 4, 5, 6 -> bytes(withWrongValues(right, 2 + random.nextInt(2), random));
                default -> bytes(withWrongValues(right, 1, random));
            };
        }
        return made;
    }

    private JsonNode value(String name, JsonNode schema, SplittableRandom random) {
        String sensible = known.get(name);
        if (sensible != null && random.nextInt(5) > 0) {
            return MAPPER.readTree(sensible.replace("#", String.valueOf(random.nextInt(6))));
        }
        if (schema.has("$ref")) {
            String ref = schema.get("$ref").asString();
            return value(name, schemas.get(ref.substring(ref.lastIndexOf('/') + 1)), random);
        }
        if (schema.has("anyOf")) {
            return value(
                    name,
                    schema.get("anyOf").get(random.nextInt(schema.get("anyOf").size())),
                    random);
        }
        if (schema.has("enum")) {
            return schema.get("enum").get(random.nextInt(schema.get("enum").size()));
        }
        JsonNode type = schema.path("type");
        String which = type.isArray() ? type.get(random.nextInt(type.size())).asString() : type.asString("object");
        return switch (which) {
            case "object" -> {
                ObjectNode made = NODES.objectNode();
                for (Map.Entry<String, JsonNode> each :
                        schema.path("properties").properties()) {
                    boolean required = schema.path("required").values().stream()
                            .anyMatch(one -> one.asString().equals(each.getKey()));
                    if (required || random.nextBoolean()) {
                        made.set(each.getKey(), value(each.getKey(), each.getValue(), random));
                    }
                }
                yield made;
            }
            case "array" -> {
                ArrayNode made = NODES.arrayNode();
                for (int left = random.nextInt(3); left > 0; left--) {
                    made.add(value("", schema.path("items"), random));
                }
                yield made;
            }
            case "string" -> NODES.stringNode("text" + random.nextInt(6));
            case "integer" -> NODES.numberNode(random.nextInt(20));
            case "number" -> NODES.numberNode(random.nextInt(200) / 10.0);
            case "boolean" -> NODES.booleanNode(random.nextBoolean());
            default -> NODES.nullNode();
        };
    }

    /** Values anywhere are replaced, doubled, missing, or have a neighbour that nobody knows. */
    private static String withWrongValues(JsonNode right, int count, SplittableRandom random) {
        List<Runnable> places = new ArrayList<>();
        JsonNode copy = right.deepCopy();
        collect(copy, random, places);
        if (places.isEmpty()) {
            return VALUES[random.nextInt(VALUES.length)];
        }
        for (int i = 0; i < count; i++) {
            places.get(random.nextInt(places.size())).run();
        }
        StringBuilder text = new StringBuilder(copy.toString());
        for (int at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, at)) {
            text.replace(at, at + MARK.length(), VALUES[random.nextInt(VALUES.length)]);
        }
        return text.toString();
    }

    private static void collect(JsonNode node, SplittableRandom random, List<Runnable> places) {
        if (node instanceof ObjectNode object) {
            places.add(() -> object.put("unknown" + random.nextInt(3), UNQUOTED));
            for (Map.Entry<String, JsonNode> each : List.copyOf(object.properties())) {
                places.add(() -> object.put(each.getKey(), UNQUOTED));
                places.add(() -> object.put(each.getKey(), UNQUOTED));
                places.add(() -> object.remove(each.getKey()));
                collect(each.getValue(), random, places);
            }
        } else if (node instanceof ArrayNode array) {
            places.add(() -> array.add(UNQUOTED));
            for (JsonNode each : array) {
                collect(each, random, places);
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The bytes with something changed, doubled, missing or cut off. */
    static byte[] spoilt(byte[] bytes, SplittableRandom random) {
        byte[] now = bytes;
        for (int left = 1 + random.nextInt(3); left > 0 && now.length > 0; left--) {
            int at = random.nextInt(now.length);
            int to = Math.min(now.length, at + 1 + random.nextInt(12));
            java.io.ByteArrayOutputStream next = new java.io.ByteArrayOutputStream();
            next.write(now, 0, at);
            switch (random.nextInt(6)) {
                case 0 -> next.write(now[at] ^ 1 << random.nextInt(8));
                case 1 -> next.write(random.nextInt(256));
                case 2 -> next.write(now, at, to - at);
                case 3 -> next.writeBytes(bytes(VALUES[random.nextInt(VALUES.length)]));
                default -> {}
            }
            if (random.nextInt(8) > 0) {
                int from = random.nextBoolean() ? at + 1 : random.nextBoolean() ? to : at;
                next.write(now, from, now.length - from);
            }
            now = next.toByteArray();
        }
        return now;
    }
}
