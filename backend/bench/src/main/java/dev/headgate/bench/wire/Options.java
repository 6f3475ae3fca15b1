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
 */
record Options(boolean quick, Set<Group> groups) {

    /** Rows that are selected together. */
    enum Group {
        SIMPLE,
        PREPARED,
        EXTENDED,
        TLS,
        TPCB,
        IDLE,
        COPY
    }

    /** @throws IllegalArgumentException for an unknown option or group of rows */
    static Options parse(List<String> arguments) {
        boolean quick = false;
        Set<Group> groups = EnumSet.allOf(Group.class);
        Deque<String> left = new ArrayDeque<>(arguments);
        while (!left.isEmpty()) {
            String option = left.poll();
            if (option.equals("--quick")) {
                quick = true;
            } else if (option.equals("--rows") && !left.isEmpty()) {
                groups = RowNames.parse(Group.class, left.poll());
            } else if (option.startsWith("--rows=")) {
                groups = RowNames.parse(Group.class, option.substring("--rows=".length()));
            } else {
                throw new IllegalArgumentException(
                        "does not know '" + option + "'; allowed are --quick, --rows " + RowNames.of(Group.class));
            }
        }
        return new Options(quick, groups);
    }

    boolean has(Group group) {
        return groups.contains(group);
    }

    int runs() {
        return quick ? 3 : 7;
    }

    int seconds() {
        return quick ? 2 : 3;
    }
}
