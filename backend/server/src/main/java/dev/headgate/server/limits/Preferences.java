package dev.headgate.server.limits;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The header {@code Prefer} (RFC 7240): preferences with perhaps a value and parameters, between commas, in any case. */
public final class Preferences {

    public static final String HEADER = "Prefer";

    /** Tells the caller which preference was followed. */
    public static final String APPLIED = "Preference-Applied";

    public static final String RESPOND_ASYNC = "respond-async";

    private Preferences() {}

    /**
     * Whether the caller prefers to fetch the answer later. Another value than an empty one makes another preference of it, which nobody
     * knows; of several with its name the first counts.
     *
     * @param prefer the header, several joined by commas; null for none
     */
    public static boolean respondAsync(@Nullable String prefer) {
        if (prefer == null) {
            return false;
        }
        for (String each : split(prefer, ',')) {
            String preference = split(each, ';').getFirst();
            int equals = preference.indexOf('=');
            String name = equals < 0 ? preference : preference.substring(0, equals);
            if (name.strip().equalsIgnoreCase(RESPOND_ASYNC)) {
                String value =
                        equals < 0 ? "" : preference.substring(equals + 1).strip();
                return value.isEmpty() || value.equals("\"\"");
            }
        }
        return false;
    }

    /** The parts between separators that are not within quotation marks. At least one. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (quoted && each == '\\') {
                i++;
            } else if (each == '"') {
                quoted = !quoted;
            } else if (each == separator && !quoted) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }
}
