package dev.headgate.bench;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The names by which an option selects rows: those of an enum, in lower case, separated by commas. */
public final class RowNames {

    private RowNames() {}

    /** @throws IllegalArgumentException for a name that is none of them */
    public static <R extends Enum<R>> Set<R> parse(Class<R> rows, String names) {
        Set<R> found = EnumSet.noneOf(rows);
        for (String name : names.split(",", -1)) {
            try {
                found.add(Enum.valueOf(rows, name.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("has no rows '" + name + "'; allowed are " + of(rows), e);
            }
        }
        return found;
    }

    /** All of them, as a message shows them. */
    public static <R extends Enum<R>> String of(Class<R> rows) {
        return EnumSet.allOf(rows).toString().toLowerCase(Locale.ROOT);
    }
}
