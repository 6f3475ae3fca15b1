package dev.headgate.bench.wire;

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
record Options<R extends Enum<R>>(boolean quick, Set<R> rows) {

    /** A benchmark whose rows cannot be selected. */
    enum AllRows {}

    /** The options of a benchmark whose rows cannot be selected. @throws IllegalArgumentException for an unknown option */
    static Options<AllRows> parse(List<String> arguments) {
        return parse(AllRows.class, arguments);
    }

    /** @throws IllegalArgumentException for an unknown option or row */
    static <R extends Enum<R>> Options<R> parse(Class<R> kind, List<String> arguments) {
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

    boolean has(R row) {
        return rows.contains(row);
    }

    int runs() {
        return quick ? 3 : 7;
    }

    int seconds() {
        return quick ? 2 : 3;
    }
}
