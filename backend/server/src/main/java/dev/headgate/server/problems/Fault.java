package dev.headgate.server.problems;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.headgate.engine.Shortened;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One fault of a request.
 *
 * @param pointer where: a JSON pointer into the body; empty where it concerns the whole body or is not in it
 * @param message what was wrong, as the rest of a sentence that begins with the field ("must be at most 20, was 30"); cut at
 *     {@value #LONGEST} characters, because it quotes what came
 * @param allowed what would be right, if that can be said briefly ("0..20"); cut like the message
 * @param at the place in a body of several files, for people ("pools/bank.yaml:12"); null where the body is one document
 */
@Schema(name = "Violation")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Fault(
        String pointer,
        String message,
        @Nullable String allowed,
        @Nullable String at) {

    /** The most characters of a message, and of what is allowed. */
    private static final int LONGEST = 1_000;

    /** How many names are told of those that are allowed. */
    private static final int MOST_NAMED = 20;

    public Fault {
        message = Shortened.withEllipsis(LONGEST, message);
        allowed = allowed == null ? null : Shortened.withEllipsis(LONGEST, allowed);
    }

    public Fault(String pointer, String message, @Nullable String allowed) {
        this(pointer, message, allowed, null);
    }

    public static Fault at(String pointer, String message) {
        return new Fault(pointer, message, null);
    }

    public static Fault at(String pointer, String message, String allowed) {
        return new Fault(pointer, message, allowed);
    }

    /**
     * The names that are allowed, for {@link #allowed}: the first {@value #MOST_NAMED} of them, and how many others there are. To be
     * made once for all faults of a kind: there may be thousands.
     */
    public static String names(Collection<String> names) {
        String first = names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
        int others = names.size() - MOST_NAMED;
        return others > 0 ? first + " and " + others + " more" : first;
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
