package dev.headgate.protocol;

/**
 * Measures whether executions of one unnamed statement are faster if it is kept prepared or if it is forwarded unchanged.
 *
 * <p>A kept text is not parsed again, and after five executions PostgreSQL may use a generic plan for it (documentation of
 * {@code PREPARE}, "Notes"). That plan suits parameters of average selectivity. With skewed data it can be far worse than a
 * plan for the actual parameters. PostgreSQL decides by estimates; this class measures. One execution in {@value #EVERY} uses
 * the other way, and that way becomes the preferred one when its mean is smaller by a fifth and surely so. On a busy server most
 * of an execution's time is that of others: the mean of some samples strays by far more than a fifth, and a choice by the means
 * alone changed without need. What was measured fades within some {@value #MEMORY} executions, so an outdated choice is reversed.
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

    /** And by so many standard errors of its mean. */
    private static final double SURELY = 3.5;

    /** Executions after which a measurement counts for a third. */
    static final int MEMORY = 64 * EVERY;

    private static final double KEPT_OF_IT = 1 - 1.0 / MEMORY;

    /** Fading sums. */
    private static final class Mean {
        private int count;
        private double weight;
        private double sum;
        private double squares;

        void fade() {
            weight *= KEPT_OF_IT;
            sum *= KEPT_OF_IT;
            squares *= KEPT_OF_IT;
        }

        void add(double nanos) {
            count++;
            weight++;
            sum += nanos;
            squares += nanos * nanos;
        }

        double nanos() {
            return sum / weight;
        }

        double variance() {
            return Math.max(0, squares / weight - nanos() * nanos());
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
        kept.fade();
        asSent.fade();
        (ofKept ? kept : asSent).add((double) nanos);
        if (kept.count >= LEAST && asSent.count >= LEAST && isSurelyFaster(other(), present())) {
            keeps = !keeps;
        }
    }

    /** Few samples of the rarer way may look steadier than they are, so the greater variance of the two counts. */
    private static boolean isSurelyFaster(Mean other, Mean present) {
        double gain = present.nanos() - other.nanos();
        double doubt =
                Math.sqrt(Math.max(other.variance(), present.variance()) / Math.min(other.weight, present.weight));
        return other.nanos() * MARGIN < present.nanos() && gain > SURELY * doubt;
    }

    private Mean present() {
        return keeps ? kept : asSent;
    }

    private Mean other() {
        return keeps ? asSent : kept;
    }

    /** Whether kept statements are preferred now. */
    public boolean keeps() {
        return keeps;
    }
}
