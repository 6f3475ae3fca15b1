package dev.headgate.server.history;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A range of the past, how long a row of it is, and from which periods the rows are made. All in seconds; instants since the epoch.
 *
 * @param to not included
 * @param step the length of a row, a multiple of the resolution's periods
 */
record Span(long from, long to, int step, Resolution resolution) {

    /** Rows of an answer whose step the service chooses. */
    static final int MOST_ROWS = 1_200;

    /** Rows that a caller may ask for. */
    static final int MOST_ASKED = 5_000;

    /** Periods that are read for an answer. A step that needs more of them becomes a multiple of a coarser resolution. */
    static final int MOST_READ = 12_000;

    private static final int[] STEPS = {
        1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400
    };

    /**
     * Chooses the resolution, and a step that is not finer than what is kept of the range's begin.
     *
     * @param step the shortest; null to choose one with at most {@link #MOST_ROWS} rows
     * @param since from when on each resolution is kept. A range that begins before the earliest of them begins there
     */
    static Span of(long from, long to, @Nullable Integer step, Map<Resolution, Long> since) {
        return of(from, to, step, MOST_ROWS, since);
    }

    /** As {@link #of(long, long, Integer, Map)}, with at most so many rows where the step is chosen. */
    static Span of(long from, long to, @Nullable Integer step, int mostRows, Map<Resolution, Long> since) {
        long earliest = since.values().stream().mapToLong(Long::longValue).min().orElse(from);
        long begin = Math.min(to, Math.max(from, earliest));
        List<Resolution> kept = Arrays.stream(Resolution.values())
                .filter(each -> since.getOrDefault(each, Long.MAX_VALUE) <= begin)
                .toList();
        if (kept.isEmpty()) {
            return new Span(begin, to, step == null ? 1 : step, Resolution.SECONDS);
        }
        long length = Math.max(
                step == null ? chosen(to - begin, mostRows) : step,
                kept.getFirst().seconds());
        while (true) {
            int place = kept.size() - 1;
            while (place >= 0 && length % kept.get(place).seconds() != 0) {
                place--;
            }
            boolean coarsest = place == kept.size() - 1;
            if (place >= 0 && (coarsest || (to - begin) / kept.get(place).seconds() <= MOST_READ)) {
                return new Span(begin, to, (int) length, kept.get(place));
            }
            int next = kept.get(place + 1).seconds();
            length = Math.ceilDiv(length, next) * next;
        }
    }

    private static int chosen(long length, int mostRows) {
        for (int step : STEPS) {
            if (length <= (long) step * mostRows) {
                return step;
            }
        }
        return STEPS[STEPS.length - 1];
    }

    /** The most rows that it has. */
    long rows() {
        return Math.ceilDiv(to - from, (long) step) + 1;
    }

    /** The most periods that are read for it. */
    long periods() {
        return (to - from) / resolution.seconds() + 1;
    }

    /** The start of the row that holds an instant. */
    long row(long second) {
        return Math.floorDiv(second, (long) step) * step;
    }
}
