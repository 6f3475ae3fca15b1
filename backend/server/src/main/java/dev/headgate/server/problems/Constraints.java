package dev.headgate.server.problems;

import jakarta.validation.ConstraintViolation;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells what a Bean Validation constraint found, and in a few characters what it allows. */
public final class Constraints {

    /** Patterns of requests by what they allow. {@code ConstraintsTest} finds one that is missing. */
    static final Map<String, String> WORDS = Map.of(
            "^[a-z][a-z0-9-]{0,62}$",
            "1 to 63 lower-case letters, digits and hyphens, beginning with a letter",
            "^[A-Za-z0-9._:-]{1,253}$",
            "1 to 253 letters, digits, dots, hyphens, underscores and colons",
            "^[^\\x00-\\x1f\\x7f]{1,63}$",
            "1 to 63 characters, no control characters",
            "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$",
            "1 to 63 letters, digits, underscores, dots and hyphens, beginning with a letter, a digit or an underscore",
            "^[^\\x00-\\x1f\\x7f]*$",
            "letters, digits, signs and spaces",
            "^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?"
                    + "(:[^\\x00-\\x20\\x7f]([^\\x00-\\x1f\\x7f]{0,61}[^\\x00-\\x20\\x7f])?)?$",
            "NAME:VALUE of a label, or its NAME for any value",
            "(?s).*\\S.*",
            "a text with more than spaces");

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
            case "Size" ->
                attributes.get("min") + ".." + attributes.get("max")
                        + (violation.getInvalidValue() instanceof CharSequence ? " characters" : "");
            case "Min" -> "at least " + attributes.get("value");
            case "Max" -> "at most " + attributes.get("value");
            case "Pattern" -> pattern(String.valueOf(attributes.get("regexp")));
            default -> null;
        };
    }

    /** What to write, in words: a choice as a list, a known pattern by its description, and nothing of any other. */
    static @Nullable String pattern(String regexp) {
        return regexp.matches("\\^\\([a-z|-]+\\)\\$")
                ? regexp.substring(2, regexp.length() - 2).replace("|", ", ")
                : WORDS.get(regexp);
    }
}
