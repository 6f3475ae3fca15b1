package dev.headgate.protocol;

/**
 * Measures whether executions of one unnamed statement are faster if it is kept prepared or if it is forwarded unchanged.
 *
 * <p>A kept text is not parsed again, and after five executions PostgreSQL may use a generic plan for it (documentation of
 * {@code PREPARE}, "Notes"). That plan suits parameters of average selectivity. With skewed data it can be far worse than a
 * plan for the actual parameters. PostgreSQL decides by estimates; this class measures. Some executions, the sample, use the
 * other way, and that way becomes the preferred one when its mean is smaller by a fifth and surely so. On a busy server most
 * of an execution's time is that of others: the mean of some samples strays by far more than a fifth, and a choice by the means
 * alone changed without need. What was measured fades within some {@value #MEMORY} executions, so an outdated choice is reversed.
 *
 * <p>The sample is one execution in {@value #EVERY} of a short statement, for which planning is much of its time. Long executions
 * are often long for few parameters only, so their mean needs a greater sample, and for them planning is little: up to every second
 * one belongs to the sample, until the other way is unlikely to be the faster one. The multiples of the golden ratio modulo 1 decide
 * which ones do. They are spread evenly over every k-th execution too, so a client that repeats a row of parameters does not bias the
 * sample (H. Weyl, "Über die Gleichverteilung von Zahlen mod. Eins", Mathematische Annalen 77, 1916).
 *
 * <p>Belongs to one thread.
 */
public final class PlanChoice {

    /** One execution of a short statement in this many uses the way that is not preferred. */
    static final int EVERY = 64;

    /** The least share of executions that use the way that is not preferred, and the greatest. */
    private static final double LEAST_SAMPLED = 1.0 / EVERY;

    private static final double MOST_SAMPLED = 1.0 / 2;

    /** The mean duration of executions from which on more of them are sampled. Planning seldom takes longer. */
    private static final double LONG_NANOS = 250_000;

    /** The fractional part of the golden ratio, in units of 2 to the power of -64. */
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    /** Executions of each way before they are compared, because the first ones meet cold caches. */
    static final int LEAST = 8;

    /** The way that is not preferred must be faster by this factor. */
    static final double MARGIN = 1.2;

    /** And by so many standard errors of its mean. */
    private static final double SURELY = 3;

    /** The sample stays great while the other way would be faster if the gain were greater by so many standard errors. */
    private static final double POSSIBLY = 2;

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
            return weight == 0 ? 0 : sum / weight;
        }

        double variance() {
            return Math.max(0, squares / weight - nanos() * nanos());
        }
    }

    private final Mean kept = new Mean();
    private final Mean asSent = new Mean();
    private boolean keeps = true;
    private long executions;
    private double sampled = LEAST_SAMPLED;

    /** Whether the next execution should use a kept statement. */
    public boolean next() {
        double place = ((++executions * GOLDEN_RATIO) >>> 11) * 0x1p-53;
        return (place < sampled) != keeps;
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
        if (kept.count < LEAST || asSent.count < LEAST) {
            sampled = sampleOfLength(present().nanos());
            return;
        }
        double gain = present().nanos() - other().nanos();
        double leastGain = (1 - 1 / MARGIN) * present().nanos();
        double doubt = doubt();
        if (gain > Math.max(leastGain, SURELY * doubt)) {
            keeps = !keeps;
            sampled = LEAST_SAMPLED;
        } else {
            boolean isOpen = gain + POSSIBLY * doubt > leastGain;
            sampled = isOpen ? sampleOfLength(present().nanos()) : LEAST_SAMPLED;
        }
    }

    /**
     * The standard error of the gain. Few samples of the rarer way may look steadier than they are, so the greater variance counts.
     */
    private double doubt() {
        return Math.sqrt(Math.max(kept.variance(), asSent.variance()) * (1 / kept.weight + 1 / asSent.weight));
    }

    /** If forwarding a statement costs {@link #LONG_NANOS}, the sample takes one part in {@value #EVERY} of the time, or less. */
    private static double sampleOfLength(double nanos) {
        return Math.clamp(LEAST_SAMPLED * nanos / LONG_NANOS, LEAST_SAMPLED, MOST_SAMPLED);
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
