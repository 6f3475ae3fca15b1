package dev.headgate.server.api;

import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.Base64;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cursors of one list. A cursor contains the list and the key of an entry, and is opaque to callers. A cursor of another list is
 * refused.
 *
 * @param list the name in every cursor
 * @param key reads what {@link Object#toString} has written of a key; throws IllegalArgumentException or DateTimeException
 */
public record Cursors<K>(String list, Function<String, K> key) {

    private static final String ALLOWED = "the nextCursor of an earlier page of this list";

    /** The cursors of a list that is sorted by name. */
    public static Cursors<String> ofNames(String list) {
        return new Cursors<>(list, Function.identity());
    }

    /**
     * The page that a request asks for.
     *
     * @param cursor null or empty for the first page
     * @throws ProblemException malformed-request if it is not a cursor of this list
     */
    public Paging<K> paging(int limit, @Nullable String cursor) {
        return new Paging<>(limit, cursor == null || cursor.isEmpty() ? null : read(cursor), this);
    }

    String write(K key) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((list + '/' + key).getBytes(StandardCharsets.UTF_8));
    }

    private K read(String cursor) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            if (text.startsWith(list + '/') && text.indexOf('\0') < 0) {
                K place = key.apply(text.substring(list.length() + 1));
                if (write(place).equals(cursor)) {
                    return place;
                }
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            throw malformed();
        }
        throw malformed();
    }

    private static ProblemException malformed() {
        return ProblemException.of(
                ProblemType.MALFORMED_REQUEST,
                "'cursor' must be " + ALLOWED + ".",
                Fault.at("", "the query parameter 'cursor' is not one of this list", ALLOWED));
    }
}
