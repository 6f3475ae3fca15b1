package dev.headgate.server.problems;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One fault of a request.
 *
 * @param pointer where: a JSON pointer into the body; empty where it concerns the whole body or is not in it
 * @param message what was wrong, as the rest of a sentence that begins with the field ("must be at most 20, was 30")
 * @param allowed what would be right, if that can be said briefly ("0..20")
 * @param at the place in a body of several files, for people ("pools/bank.yaml:12"); null where the body is one document
 */
@Schema(name = "Violation")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Fault(
        String pointer,
        String message,
        @Nullable String allowed,
        @Nullable String at) {

    public Fault(String pointer, String message, @Nullable String allowed) {
        this(pointer, message, allowed, null);
    }

    public static Fault at(String pointer, String message) {
        return new Fault(pointer, message, null);
    }

    public static Fault at(String pointer, String message, String allowed) {
        return new Fault(pointer, message, allowed);
    }

    /** The pointer of a field of what {@code parent} points to (RFC 6901, section 3). */
    public static String pointer(String parent, String name) {
        return parent + "/" + name.replace("~", "~0").replace("/", "~1");
    }

    /** The same fault in a larger body that holds this one at {@code prefix}. */
    public Fault under(String prefix) {
        return new Fault(prefix + pointer, message, allowed, at);
    }

    /** The same fault, with the place where a person finds it. */
    public Fault foundAt(String place) {
        return new Fault(pointer, message, allowed, place);
    }
}
