package dev.headgate.server.plugins;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The JSON Schema of one version of a plugin. Finds every fault of given parameters, in words, and fills in defaults.
 * Safe for use by any number of threads.
 *
 * <p>It has a registry of its own, because a registry caches schemas by {@code $id}: a shared one would give one version the schema of
 * another, and keep both for ever.
 */
public final class ParameterSchema {

    private static final int MANY_VALUES = 1_000;

    private final String text;
    private final Schema schema;
    private final JsonNode root;

    /** @throws SchemaException if it refers to what is not in it, or has a pattern that is none */
    ParameterSchema(String text) {
        this.text = text;
        this.schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(text, InputFormat.JSON);
        this.root = schema.getSchemaNode();
        schema.initializeValidators();
    }

    JsonNode root() {
        return root;
    }

    /** As the plugin wrote it. */
    String text() {
        return text;
    }

    /** Adds the schema's defaults for missing values, at every depth. */
    public void fillDefaults(ObjectNode parameters) {
        fill(root, parameters);
    }

    /**
     * The faults, at most {@value Faults#MOST}; of more than {@value #MANY_VALUES} values one alone, because each fault is a dozen
     * objects before they can be counted. Pointers are relative to the parameters.
     *
     * @throws SchemaException if the schema refers to itself, so that there is no end to what it says of these parameters
     */
    public List<Fault> check(JsonNode parameters) {
        boolean one = count(parameters) > MANY_VALUES;
        List<Error> errors;
        try {
            errors = schema.validate(parameters, context -> context.executionConfig(config -> config.failFast(one)));
        } catch (StackOverflowError endless) {
            throw new SchemaException("it refers to itself without end");
        }
        return errors.stream()
                .map(error -> fault(error, parameters))
                .distinct()
                .limit(Faults.MOST)
                .sorted(Comparator.comparing(Fault::pointer))
                .toList();
    }

    private static int count(JsonNode values) {
        int count = 1;
        for (JsonNode each : values.values()) {
            count += count(each);
        }
        return count;
    }

    private Fault fault(Error error, JsonNode parameters) {
        String pointer = String.valueOf(error.getInstanceLocation());
        String keyword = String.valueOf(error.getKeyword());
        String property = error.getProperty();
        String named = property == null ? pointer : Fault.pointer(pointer, property);
        if (keyword.equals("required")) {
            return new Fault(named, "is missing", allowed(property(named)));
        }
        if (keyword.equals("additionalProperties") || keyword.equals("unevaluatedProperties")) {
            return new Fault(named, "is not a parameter of this plugin", names(property(pointer)));
        }
        JsonNode limit = error.getSchemaNode();
        JsonNode described = property(pointer);
        JsonNode bound = described == null ? limit : described.get(keyword);
        String message = switch (keyword) {
            case "minimum" -> "must be at least " + bound;
            case "maximum" -> "must be at most " + bound;
            case "exclusiveMinimum" -> "must be more than " + bound;
            case "exclusiveMaximum" -> "must be less than " + bound;
            case "enum" -> "must be one of " + values(bound);
            case "type" -> "must be " + typeName(bound);
            case "pattern" -> "does not have the form that it must have";
            default -> error.getMessage();
        };
        String allowed = keyword.equals("pattern") ? description(described) : allowed(described);
        return new Fault(pointer, message + ", was " + parameters.at(pointer), allowed);
    }

    /** What the plugin's author says of the property: a pattern tells people nothing. */
    private static @Nullable String description(@Nullable JsonNode property) {
        JsonNode text = property == null ? null : property.get("description");
        return text == null ? null : text.asString();
    }

    private @Nullable JsonNode property(String pointer) {
        JsonNode node = root;
        for (String step : pointer.split("/")) {
            if (step.isEmpty()) {
                continue;
            }
            JsonNode properties = node.get("properties");
            JsonNode next = properties == null ? null : properties.get(step);
            if (next == null) {
                next = node.get("items");
            }
            if (next == null) {
                return null;
            }
            node = next;
        }
        return node;
    }

    private static @Nullable String allowed(@Nullable JsonNode property) {
        if (property == null) {
            return null;
        }
        if (property.has("enum")) {
            return values(property.get("enum"));
        }
        JsonNode least = property.has("minimum") ? property.get("minimum") : property.get("exclusiveMinimum");
        JsonNode most = property.has("maximum") ? property.get("maximum") : property.get("exclusiveMaximum");
        if (least != null && most != null) {
            return least + ".." + most;
        }
        String type = typeName(property.get("type"));
        if (least != null) {
            return type + " of at least " + least;
        }
        return most != null ? type + " of at most " + most : type;
    }

    private static String typeName(@Nullable JsonNode type) {
        if (type == null) {
            return "another value";
        }
        return switch (type.asString("")) {
            case "integer" -> "a whole number";
            case "number" -> "a number";
            case "string" -> "a string";
            case "boolean" -> "true or false";
            case "array" -> "an array";
            case "object" -> "an object";
            default -> type.toString();
        };
    }

    private static String values(@Nullable JsonNode array) {
        return array == null
                ? ""
                : Fault.names(array.valueStream()
                        .map(value -> value.isString() ? value.asString() : value.toString())
                        .toList());
    }

    private static @Nullable String names(@Nullable JsonNode object) {
        JsonNode properties = object == null ? null : object.get("properties");
        return properties == null
                ? null
                : Fault.names(properties.propertyNames().stream().sorted().toList());
    }

    private static void fill(JsonNode schema, ObjectNode object) {
        JsonNode properties = schema.get("properties");
        if (properties == null) {
            return;
        }
        for (Map.Entry<String, JsonNode> property : properties.properties()) {
            JsonNode given = object.get(property.getKey());
            JsonNode fallback = property.getValue().get("default");
            if (given == null && fallback != null) {
                object.set(property.getKey(), fallback.deepCopy());
            } else if (given instanceof ObjectNode nested) {
                fill(property.getValue(), nested);
            }
        }
    }
}
