package dev.headgate.server.problems;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/**
 * Says of a body that Jackson could not read where the fault is and what would be right. It quotes neither what is not JSON, which may
 * be a password without its quotation marks, nor the value of a password.
 */
public final class JsonFaults {

    /** What Jackson says that quotes a character at most. */
    private static final Set<String> HARMLESS = Set.of(
            "Unexpected character",
            "Unexpected end-of-input",
            "Unexpected close marker",
            "Illegal character",
            "Illegal unquoted character",
            "Unrecognized character escape",
            "Invalid numeric value",
            "Invalid UTF-8");

    private static final String EXPECTED = "was expecting ";

    private JsonFaults() {}

    public static Fault of(JacksonException e) {
        String pointer = pointer(e.getPath());
        return switch (e) {
            case UnkeptText text -> text.at(pointer);
            case UnrecognizedPropertyException unknown ->
                Fault.at(pointer, "is not a field of this request", names(unknown.getKnownPropertyIds()));
            case InvalidFormatException format
            when !isOfPassword(pointer) ->
                Fault.at(pointer, "cannot be '" + format.getValue() + "'", shape(format.getTargetType()));
            case MismatchedInputException mismatch ->
                Fault.at(pointer, "is of the wrong type or missing", shape(mismatch.getTargetType()));
            case StreamConstraintsException limit ->
                Fault.at("", "is too large: " + withoutNames(limit.getOriginalMessage()));
            case InputCoercionException range -> Fault.at(pointer, "is out of range", shape(range.getTargetType()));
            case StreamReadException syntax ->
                Fault.at("", "is not JSON: " + place(syntax) + found(syntax.getOriginalMessage()), "a JSON object");
            default -> Fault.at(pointer, "cannot be read");
        };
    }

    /** What a Java type looks like in JSON. */
    static String shape(@Nullable Class<?> type) {
        if (type == null) {
            return "another type";
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(each -> inJson((Enum<?>) each))
                    .collect(Collectors.joining(", "));
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            return "a whole number";
        }
        if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
            return "a number";
        }
        if (CharSequence.class.isAssignableFrom(type)) {
            return "a string";
        }
        if (java.time.temporal.Temporal.class.isAssignableFrom(type)) {
            return "a time such as 2026-11-21T12:00:00Z";
        }
        if (Collection.class.isAssignableFrom(type) || type.isArray()) {
            return "an array";
        }
        return Map.class.isAssignableFrom(type) || type.isRecord() ? "an object" : "another type";
    }

    private static String inJson(Enum<?> constant) {
        try {
            JsonProperty name =
                    constant.getDeclaringClass().getField(constant.name()).getAnnotation(JsonProperty.class);
            return name == null ? constant.toString() : name.value();
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e); // each constant is a field
        }
    }

    private static String names(@Nullable Collection<Object> known) {
        return known == null ? "" : known.stream().map(String::valueOf).sorted().collect(Collectors.joining(", "));
    }

    private static String place(StreamReadException e) {
        return e.getLocation() == null
                ? ""
                : "line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr() + ": ";
    }

    /** Without the names of methods that Jackson gives: "the maximum allowed (50, from `StreamReadConstraints.getMaxNestingDepth()`)". */
    private static String withoutNames(String said) {
        return said.replaceAll(", from `[^`]*`", "");
    }

    private static String found(String said) {
        if (HARMLESS.stream().anyMatch(said::startsWith)) {
            int where = said.indexOf(" (start marker at "); // Jackson's own words for a place
            return where < 0 ? said : said.substring(0, where);
        }
        if (said.startsWith("Duplicate ")) {
            return "a field is there twice";
        }
        int expected = said.startsWith("Unrecognized token") ? said.indexOf(EXPECTED) : -1;
        return "what stands there is no value of JSON" + (expected < 0 ? "" : ", " + said.substring(expected));
    }

    /** Whether a field's value is a password. */
    static boolean isOfPassword(String pointer) {
        return pointer.toLowerCase(Locale.ROOT).contains("password");
    }

    private static String pointer(List<JacksonException.Reference> path) {
        String pointer = "";
        for (JacksonException.Reference step : path) {
            String name = step.getPropertyName();
            pointer = Fault.pointer(pointer, name != null ? name : String.valueOf(step.getIndex()));
        }
        return pointer;
    }
}
