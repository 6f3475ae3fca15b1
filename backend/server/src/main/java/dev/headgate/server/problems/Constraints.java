package dev.headgate.server.problems;

import jakarta.validation.ConstraintViolation;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells what a Bean Validation constraint found, and in a few characters what it allows. */
public final class Constraints {

    private Constraints() {}

    /**
     * The fault of a value that is not what its constraint asks for.
     *
     * @param pointer to the value
     */
    public static Fault fault(String pointer, ConstraintViolation<?> violation) {
        Object value = violation.getInvalidValue();
        boolean secret = pointer.toLowerCase(java.util.Locale.ROOT).contains("password");
        String was = value == null || secret ? "" : ", was " + value;
        return new Fault(pointer, violation.getMessage() + was, allowed(violation));
    }

    static @Nullable String allowed(ConstraintViolation<?> violation) {
        Map<String, Object> attributes = violation.getConstraintDescriptor().getAttributes();
        return switch (violation
                .getConstraintDescriptor()
                .getAnnotation()
                .annotationType()
                .getSimpleName()) {
            case "Range" -> attributes.get("min") + ".." + attributes.get("max");
            case "Size" -> attributes.get("min") + ".." + attributes.get("max") + " characters";
            case "Min" -> "at least " + attributes.get("value");
            case "Max" -> "at most " + attributes.get("value");
            case "Pattern" -> pattern(String.valueOf(attributes.get("regexp")));
            default -> null;
        };
    }

    /** A choice of words reads better as a list. */
    private static String pattern(String regexp) {
        return regexp.matches("\\^\\([a-z|-]+\\)\\$")
                ? regexp.substring(2, regexp.length() - 2).replace("|", ", ")
                : regexp;
    }
}
