package dev.headgate.engine.governor;

import java.util.Arrays;

/** Remembers when how many connections of a pool were needed: in use or asked for. Governor only. */
final class Needs {

    /** More connections than any pool has. */
    private static final int MOST_REMEMBERED = 4096;

    /** {@code neededAt[n]}: when more than n connections were last needed. */
    private long[] neededAt = new long[0];

    /**
     * Notes what is needed now.
     *
     * @param size connections the pool has; one that has just come counts as needed when it came
     */
    void note(int needed, int size, long nowNanos) {
        int known = Math.min(needed, MOST_REMEMBERED);
        int before = neededAt.length;
        if (Math.max(known, size) > before) {
            neededAt = Arrays.copyOf(neededAt, Math.max(known, size));
            Arrays.fill(neededAt, before, neededAt.length, nowNanos);
        }
        Arrays.fill(neededAt, 0, known, nowNanos);
    }

    /** The most connections that were needed at once within the given time. */
    int within(long nanos, long nowNanos) {
        int needed = neededAt.length;
        while (needed > 0 && nowNanos - neededAt[needed - 1] > nanos) {
            needed--;
        }
        return needed;
    }
}
