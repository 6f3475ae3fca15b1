package dev.headgate.policy.latencycap;

/**
 * How many times the body of the latencies the capped figure is, and how sure that is. It depends on the work rather than on the
 * load, so it is learned from all sizes at once, over about a minute. Not thread-safe.
 */
interface Tail {

    /** Whether anything was measured. */
    boolean known();

    /** The figure in multiples of the body. */
    double ratio();

    /** What the ratio may be at most, so many standard deviations away. */
    double above(double deviations);

    /** What it is at least. */
    double below(double deviations);

    /**
     * By how many times the figure of a window of so many requests may exceed the ratio by chance alone, so many standard deviations
     * away: 1 or more.
     */
    double chance(long requests, double deviations);

    void learn(long nowNanos, Sample sample);

    /** One that believes the same, and learns on its own. */
    Tail copy();

    static Tail of(Statistic statistic) {
        return statistic == Statistic.MEAN ? new MeanTail() : new PercentileTail(statistic);
    }
}
