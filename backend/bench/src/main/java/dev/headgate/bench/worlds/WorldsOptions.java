package dev.headgate.bench.worlds;

import dev.headgate.bench.RowNames;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which worlds to run.
 *
 * @param seeds of each world
 * @param first the first of them
 * @param contenders who runs in them
 * @param missed whether to print every world in which latency-cap misses a bar
 * @param watch whether to print the runs of latency-cap second by second
 */
record WorldsOptions(int seeds, long first, Set<Row> rows, Set<Contender> contenders, boolean missed, boolean watch) {

    /** The kinds of worlds, and the storm. */
    enum Row {
        BIMODAL,
        EDGE,
        PARETO,
        PERCENTILE,
        CALLERS,
        TRACE,
        SHIFT,
        SLOW_THRICE,
        NEIGHBOUR,
        DAY,
        CROWDED,
        STORM
    }

    static final int ALL_SEEDS = 1_000;
    private static final int QUICK_SEEDS = 2;

    /** @throws IllegalArgumentException for an unknown option or value */
    static WorldsOptions parse(List<String> arguments) {
        int seeds = ALL_SEEDS;
        long first = 1_000;
        Set<Row> rows = EnumSet.allOf(Row.class);
        Set<Contender> contenders = EnumSet.allOf(Contender.class);
        boolean missed = false;
        boolean watch = false;
        Deque<String> left = new ArrayDeque<>(arguments);
        while (!left.isEmpty()) {
            String option = left.poll();
            switch (option) {
                case "--quick" -> seeds = QUICK_SEEDS;
                case "--alone" -> contenders = EnumSet.of(Contender.LATENCY_CAP);
                case "--missed" -> missed = true;
                case "--watch" -> watch = true;
                case "--seeds" -> seeds = Math.toIntExact(number(option, left.poll(), 1, 1_000_000));
                case "--first" -> first = number(option, left.poll(), 0, Long.MAX_VALUE / 2);
                case "--rows" -> rows = RowNames.parse(Row.class, value(option, left.poll()));
                default ->
                    throw new IllegalArgumentException("does not know '" + option
                            + "'; allowed are --quick, --seeds N, --first N, --alone, --missed, --watch, --rows "
                            + RowNames.of(Row.class));
            }
        }
        return new WorldsOptions(seeds, first, rows, contenders, missed, watch);
    }

    private static String value(String option, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return value;
    }

    private static long number(String option, @Nullable String given, long least, long most) {
        String value = value(option, given);
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " must be a number, was " + value, e);
        }
        throw new IllegalArgumentException(option + " must be from " + least + " to " + most + ", was " + value);
    }
}
