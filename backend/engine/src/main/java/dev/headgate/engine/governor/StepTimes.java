package dev.headgate.engine.governor;

import java.util.concurrent.TimeUnit;

/**
 * How long a governor's steps take. One thread adds, any thread reads; the figures of one reading may be of two neighbouring
 * steps.
 */
public final class StepTimes {

    private static final long SLOT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private volatile long steps;
    private volatile long totalNanos;
    private volatile long longestOfSlot;
    private volatile long longestOfSlotBefore;
    private long slotEndNanos;

    /**
     * The figures.
     *
     * @param steps since the start
     * @param totalNanos of all of them
     * @param longestNanos of those within the last ten to twenty seconds
     */
    public record Figures(long steps, long totalNanos, long longestNanos) {
        public static final Figures NONE = new Figures(0, 0, 0);
    }

    StepTimes(long nowNanos) {
        slotEndNanos = nowNanos + SLOT_NANOS;
    }

    /** Adds a step that ended now. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread adds
    void add(long nowNanos, long tookNanos) {
        if (nowNanos - slotEndNanos >= 0) {
            longestOfSlotBefore = nowNanos - slotEndNanos < SLOT_NANOS ? longestOfSlot : 0;
            longestOfSlot = 0;
            slotEndNanos = nowNanos + SLOT_NANOS;
        }
        longestOfSlot = Math.max(longestOfSlot, tookNanos);
        totalNanos += tookNanos;
        steps++;
    }

    Figures figures() {
        return new Figures(steps, totalNanos, Math.max(longestOfSlot, longestOfSlotBefore));
    }
}
