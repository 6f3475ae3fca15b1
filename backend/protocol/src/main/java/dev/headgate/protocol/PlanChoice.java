package dev.headgate.protocol;

/**
 * Whether executions of one text without a name are faster when the text is kept prepared, or when it is sent as it came.
 *
 * <p>A text that is kept is not parsed again, and after five executions PostgreSQL may take a generic plan for it (the
 * documentation of {@code PREPARE}, "Notes"). That plan is for parameters of average selectivity; where the data is skewed
 * it can be far worse than one for the parameters at hand. The estimates by which PostgreSQL decides are not measurements,
 * so this measures: one execution in {@value #EVERY} goes the other way, and the way with the smaller mean is taken, once
 * it is smaller by a fifth. Means forget (exponentially weighted), so a choice that was right once is taken back.
 *
 * <p>Belongs to one thread.
 */
public final class PlanChoice {

    /** One execution in so many goes the way that is not preferred. */
    static final int EVERY = 64;

    /** Executions of either way before they are compared: the first ones meet cold caches. */
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

    /** Whether the next execution is to be of a statement that is kept prepared. */
    public boolean next() {
        return (++executions % EVERY == 0) != keeps;
    }

    /**
     * An execution took so long, from Bind to its end.
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

    /** Whether statements are kept at present. */
    public boolean keeps() {
        return keeps;
    }
}
