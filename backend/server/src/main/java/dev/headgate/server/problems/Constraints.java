package dev.headgate.server.problems;

import jakarta.validation.ConstraintViolation;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says in a few characters what a Bean Validation constraint allows. */
final class Constraints {

    private Constraints() {}

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
