package dev.headgate.server.history;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;

/**
 * A place in the decision log: just after one decision, newest first. Stays valid while decisions are added or deleted.
 * Opaque outside: base64url of time and id.
 */
record Cursor(Instant time, String id) {

    String text() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((time + "|" + id).getBytes(StandardCharsets.UTF_8));
    }

    /** @throws MalformedCursorException if the text was not made by {@link #text()} */
    static Cursor parse(String text) {
        try {
            String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            int bar = plain.indexOf('|');
            return new Cursor(Instant.parse(plain.substring(0, Math.max(0, bar))), plain.substring(bar + 1));
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw new MalformedCursorException(e);
        }
    }
}
