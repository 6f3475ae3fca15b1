package dev.headgate.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The rows to measure and the number of runs.
 *
 * @param quick fewer and shorter runs, to see that everything works; the figures say little
 * @param <R> the names of the rows
 */
public record Options<R extends Enum<R>>(boolean quick, Set<R> rows) {

    /** A benchmark whose rows cannot be selected. */
    public enum AllRows {}

    /** The options of a benchmark whose rows cannot be selected. @throws IllegalArgumentException for an unknown option */
    public static Options<AllRows> parse(List<String> arguments) {
        return parse(AllRows.class, arguments);
    }

    /** @throws IllegalArgumentException for an unknown option or row */
    public static <R extends Enum<R>> Options<R> parse(Class<R> kind, List<String> arguments) {
        boolean selects = kind != (Class<?>) AllRows.class;
        boolean quick = false;
        Set<R> rows = EnumSet.allOf(kind);
        Deque<String> left = new ArrayDeque<>(arguments);
        while (!left.isEmpty()) {
            String option = left.poll();
            if (option.equals("--quick")) {
                quick = true;
            } else if (selects && option.equals("--rows") && !left.isEmpty()) {
                rows = RowNames.parse(kind, left.poll());
            } else if (selects && option.startsWith("--rows=")) {
                rows = RowNames.parse(kind, option.substring("--rows=".length()));
            } else {
                throw new IllegalArgumentException("does not know '" + option + "'; allowed "
                        + (selects ? "are --quick, --rows " + RowNames.of(kind) : "is --quick"));
            }
        }
        return new Options<>(quick, rows);
    }

    public boolean has(R row) {
        return rows.contains(row);
    }

    public int runs() {
        return quick ? 3 : 7;
    }

    public int seconds() {
        return quick ? 2 : 3;
    }
}
