package dev.headgate.protocol;

/**
 * Measures whether executions of one unnamed statement are faster if it is kept prepared or if it is forwarded unchanged.
 *
 * <p>A kept text is not parsed again, and after five executions PostgreSQL may use a generic plan for it (documentation of
 * {@code PREPARE}, "Notes"). That plan suits parameters of average selectivity. With skewed data it can be far worse than a
 * plan for the actual parameters. PostgreSQL decides by estimates; this class measures. One execution in {@value #EVERY} uses
 * the other way, and that way becomes the preferred one when its mean is smaller by a fifth. Means are exponentially
 * weighted, so an outdated choice is reversed.
 *
 * <p>Belongs to one thread.
 */
public final class PlanChoice {

    /** One execution in this many uses the way that is not preferred. */
    static final int EVERY = 64;

    /** Executions of each way before they are compared, because the first ones meet cold caches. */
    static final int LEAST = 8;

    /** The way that is not preferred must be faster by this factor. */
    static final double MARGIN = 1.2;

    private static final double WEIGHT = 1.0 / 16;

    private static final class Mean {
        private int count;
        private double nanos;

        void add(long sample) {
            count++;
            nanos += (sample - nanos) * Math.max(WEIGHT, 1.0 / count);
        }
    }

    private final Mean kept = new Mean();
    private final Mean asSent = new Mean();
    private boolean keeps = true;
    private int executions;

    /** Whether the next execution should use a kept statement. */
    public boolean next() {
        return (++executions % EVERY == 0) != keeps;
    }

    /**
     * Records the time of an execution, from Bind to its end.
     *
     * @param ofKept whether the statement was kept prepared
     */
    public void measured(boolean ofKept, long nanos) {
        (ofKept ? kept : asSent).add(nanos);
        if (kept.count >= LEAST && asSent.count >= LEAST) {
            Mean present = keeps ? kept : asSent;
            Mean other = keeps ? asSent : kept;
            if (other.nanos * MARGIN < present.nanos) {
                keeps = !keeps;
            }
        }
    }

    /** Whether kept statements are preferred now. */
    public boolean keeps() {
        return keeps;
    }
}
