package dev.headgate.server.files;

import dev.headgate.server.problems.Constraints;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * One object of a document, read field by field. A field of the wrong type, one that the REST request would refuse, or an unknown one
 * is reported as a fault and then counts as omitted.
 */
final class Fields {

    private final Document document;
    private final String pointer;
    private final ObjectNode object;
    private final Faults faults;
    private final Set<String> known = new TreeSet<>();
    private final ObjectNode readable = JsonNodeFactory.instance.objectNode();
    private final int before;

    private Fields(Document document, String pointer, ObjectNode object, Faults faults) {
        this.document = document;
        this.pointer = pointer;
        this.object = object;
        this.faults = faults;
        this.before = faults.found();
    }

    /** Null, with a fault, if there is no object at the pointer. */
    static @Nullable Fields of(Document document, String pointer, JsonNode value, Faults faults) {
        if (value instanceof ObjectNode object) {
            return new Fields(document, pointer, object, faults);
        }
        faults.add(document.locate(Fault.at(pointer, "is " + what(value), "an object")));
        return null;
    }

    @Nullable
    String text(String name) {
        JsonNode value = field(name);
        if (value == null || !value.isString()) {
            wrong(name, value, "a string");
            return null;
        }
        readable.set(name, value);
        return value.asString();
    }

    /** Every field, whatever its name: strings, and null where nothing is given. */
    Map<String, @Nullable String> texts() {
        Map<String, @Nullable String> texts = new LinkedHashMap<>();
        for (String name : object.propertyNames()) {
            String value = text(name);
            if (value != null || !has(name)) {
                texts.put(name, value);
            }
        }
        return texts;
    }

    @Nullable
    Long large(String name) {
        JsonNode value = field(name);
        if (value == null || !value.isIntegralNumber() || !value.canConvertToLong()) {
            wrong(name, value, "a whole number, at most " + Long.MAX_VALUE);
            return null;
        }
        readable.set(name, value);
        return value.asLong();
    }

    @Nullable
    Integer whole(String name) {
        JsonNode value = field(name);
        if (value == null || !value.isIntegralNumber() || !value.canConvertToInt()) {
            wrong(name, value, "a whole number, at most " + Integer.MAX_VALUE);
            return null;
        }
        readable.set(name, value);
        return value.asInt();
    }

    @Nullable
    JsonNode object(String name) {
        JsonNode value = field(name);
        if (value == null || !value.isObject()) {
            wrong(name, value, "an object");
            return null;
        }
        readable.set(name, value);
        return value;
    }

    /** Empty if the field is omitted. */
    List<JsonNode> array(String name) {
        JsonNode value = field(name);
        if (value == null || !value.isArray()) {
            wrong(name, value, "an array");
            return List.of();
        }
        readable.set(name, value);
        return List.copyOf(value.values());
    }

    boolean has(String name) {
        return field(name) != null;
    }

    /** Reports a fault of a field, unless it has one: for values whose type alone does not make them valid. */
    void allow(String name, @Nullable Object value, Class<?> request, Validator validator) {
        String at = Fault.pointer(pointer, name);
        if (value == null && has(name)) {
            return; // of the wrong type, which is reported
        }
        for (ConstraintViolation<?> violation : validator.validateValue(request, name, value)) {
            faults.add(document.locate(Constraints.fault(at, violation)));
        }
    }

    void fault(String name, String message, String allowed) {
        faults.add(document.locate(Fault.at(Fault.pointer(pointer, name), message, allowed)));
    }

    /** The fields that were read and have the right type. */
    ObjectNode readable() {
        return readable;
    }

    /** Reports every unknown field. Called last. Returns whether the object has no fault. */
    boolean complete() {
        for (String name : object.propertyNames()) {
            if (!known.contains(name)) {
                faults.add(document.locate(
                        Fault.at(Fault.pointer(pointer, name), "is not known here", Fault.names(known))));
            }
        }
        return faults.found() == before;
    }

    private @Nullable JsonNode field(String name) {
        known.add(name);
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? null : value;
    }

    /** @param value null if it is omitted, which is no fault */
    private void wrong(String name, @Nullable JsonNode value, String allowed) {
        if (value != null) {
            fault(name, "is " + what(value), allowed);
        }
    }

    private static String what(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> "an object";
            case ARRAY -> "an array";
            case STRING -> "the string \"" + value.asString() + "\"";
            case NULL -> "empty";
            default -> value.toString();
        };
    }
}
