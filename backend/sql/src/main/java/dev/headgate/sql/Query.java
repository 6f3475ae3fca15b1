package dev.headgate.sql;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One statement with its parameters.
 *
 * @param sql a single statement; parameters are $1, $2, ...
 * @param parameters their values as PostgreSQL's texts; null for NULL
 * @param types the types of the first parameters as object ids; 0 or a missing one leaves it to the server
 * @param mostRows the most rows of its answer; 0 for no limit
 */
public record Query(String sql, List<@Nullable String> parameters, List<Integer> types, int mostRows) {

    /** The most parameters of a statement: the protocol counts them in 16 bits. */
    public static final int MOST_PARAMETERS = 65_535;

    public Query {
        if (parameters.size() > MOST_PARAMETERS || types.size() > MOST_PARAMETERS) {
            throw new IllegalArgumentException("a statement has at most " + MOST_PARAMETERS + " parameters");
        }
        if (mostRows < 0) {
            throw new IllegalArgumentException("mostRows must not be negative, was " + mostRows);
        }
        requireText(sql);
        parameters.forEach(Query::requireText);
        parameters = java.util.Collections.unmodifiableList(new java.util.ArrayList<>(parameters));
        types = List.copyOf(types);
    }

    private static void requireText(@Nullable String text) {
        unsendable(text).ifPresent(why -> {
            throw new IllegalArgumentException(why);
        });
    }

    /** Why a text can be none of a statement or parameter; empty if it can, as NULL can. */
    public static Optional<String> unsendable(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        if (text.indexOf('\0') >= 0) {
            return Optional.of("PostgreSQL's texts have no zero character");
        }
        return hasHalfCharacter(text) ? Optional.of("one half of a surrogate pair is no character") : Optional.empty();
    }

    /**
     * Whether a text holds one half of a surrogate pair without the other. UTF-8 has no form for it: its encoder would put a question
     * mark in its place.
     */
    public static boolean hasHalfCharacter(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    /** A statement whose parameters' types the server infers. */
    public static Query of(String sql, @Nullable String... parameters) {
        return new Query(sql, java.util.Arrays.asList(parameters), List.of(), 0);
    }
}
