package dev.headgate.policy.latencycap;

/**
 * A percentile, in multiples of the body: read from a histogram of the requests of about a minute, each divided by the body of its
 * own measurement.
 *
 * <p>How sure it is follows from the ranks alone, whatever the distribution: among n requests the share below the true percentile
 * is off by {@code sqrt(p (1 - p) / n)} (the usual confidence interval of a quantile, by order statistics). Between two modes this
 * spans the gap, and says what is true there: that nobody knows on which side the percentile is.
 *
 * <p>That holds where requests are slow independently of each other. Often they are not: a stall, a neighbour or a processor that
 * others hold slows many requests of one moment, and then none for a while. How much more the share of slow requests moves from
 * measurement to measurement than it would by independent ones (the dispersion of a quasi-binomial model; McCullagh and Nelder,
 * "Generalized Linear Models", 1989) is learned, and every such deviation is larger by its square root.
 */
final class PercentileTail implements Tail {

    private static final double MEMORY_SECONDS = 60;
    /** The histogram: from {@value #LOWEST} times the body on, {@value #BINS} bins, each by {@value #WIDTH} of its value wide. */
    private static final double LOWEST = 0.5;

    private static final double WIDTH = 0.02;
    private static final int BINS = 500;

    /** How many standard deviations are added to the doubt when there are just enough requests to know the percentile at all. */
    private static final double FIRST_DOUBT = 2;

    private static final double LIMIT = 10;
    /** What is kept of the memory when the work has changed. */
    private static final double KEPT = 0.05;

    /** As if so many measurements of independent requests had been seen before the first. */
    private static final double INDEPENDENT_AT_FIRST = 10;
    /** A measurement that is further off than this, in multiples of the variance expected, counts as one that is so far off. */
    private static final double MOST_OFF = 9;

    private final double share;
    private final int enough;
    private final Surprises surprises;
    private final double[] bins;
    private double requests;
    private long updatedNanos;
    /** Requests since the last look for a surprise, and how many of them were above the ratio. */
    private double looked;

    private double lookedAbove;
    /** Sums over measurements, as old as the memory: of the square of how far off, by that of independent requests; how many. */
    private double off;

    private double measurements;

    PercentileTail(Statistic statistic) {
        this.surprises = new Surprises(LIMIT);
        this.bins = new double[BINS];
        this.share = statistic.share();
        this.enough = statistic.enough();
    }

    private PercentileTail(PercentileTail other) {
        this.surprises = new Surprises(other.surprises);
        this.bins = other.bins.clone();
        this.share = other.share;
        this.enough = other.enough;
        this.requests = other.requests;
        this.updatedNanos = other.updatedNanos;
        this.looked = other.looked;
        this.lookedAbove = other.lookedAbove;
        this.off = other.off;
        this.measurements = other.measurements;
    }

    @Override
    public Tail copy() {
        return new PercentileTail(this);
    }

    @Override
    public boolean known() {
        return requests >= enough;
    }

    @Override
    public double ratio() {
        return at(share);
    }

    @Override
    public double above(double deviations) {
        return at(share + deviations * rankDeviation());
    }

    @Override
    public double below(double deviations) {
        // few requests beyond a percentile are spread unevenly: the first ones that are slow must not count for much
        double more = FIRST_DOUBT * Math.sqrt(enough / Math.max(enough, requests));
        return at(share - (deviations + more) * rankDeviation());
    }

    @Override
    public double chance(long requests, double deviations) {
        return Math.max(1, at(share + deviations * rankDeviation((double) requests)) / ratio());
    }

    private double rankDeviation() {
        return rankDeviation(requests);
    }

    /** The standard error of a share of so many requests. */
    private double rankDeviation(double among) {
        return Math.sqrt(dispersion() * share * (1 - share) / Math.max(1, among));
    }

    /** By how many times the variance of a share exceeds that of independent requests: 1 or more. */
    private double dispersion() {
        return Math.max(1, (INDEPENDENT_AT_FIRST + off) / (INDEPENDENT_AT_FIRST + measurements));
    }

    /** The value of a rank, between 0 and 1, linear within a bin. */
    private double at(double rank) {
        double left = (1 - rank) * requests; // from above: what counts is there
        for (int i = BINS - 1; i > 0; i--) {
            if (bins[i] > 0 && left <= bins[i]) {
                return LOWEST * Math.exp(WIDTH * (i + 1 - Math.max(0, left) / bins[i]));
            }
            left -= bins[i];
        }
        return LOWEST;
    }

    @Override
    public void learn(long nowNanos, Sample sample) {
        if (requests > 0) {
            double kept = Math.exp(-Math.max(0, nowNanos - updatedNanos) / 1e9 / MEMORY_SECONDS);
            keep(kept);
            off *= kept;
            measurements *= kept;
        }
        updatedNanos = nowNanos;
        if (known()) {
            look(sample);
        }
        requests += sample.count();
        sample.each((times, count) -> bins[bin(times)] += count);
    }

    private void look(Sample sample) {
        double ratio = ratio();
        double above = above(sample, ratio);
        looked += sample.count();
        lookedAbove += above;
        if (looked >= enough) {
            double expected = (1 - share) * looked;
            double noise = dispersion() * expected * share + Math.pow(looked * rankDeviation(), 2);
            if (surprises.add((lookedAbove - expected) / Math.sqrt(noise))) {
                keep(KEPT);
            }
            looked = 0;
            lookedAbove = 0;
        }
        double square = Math.pow(above - (1 - share) * sample.count(), 2);
        double independent = share * (1 - share) * sample.count();
        off += Math.min(square / independent, MOST_OFF * dispersion());
        measurements++;
    }

    private static double above(Sample sample, double ratio) {
        double[] above = new double[1];
        sample.each((times, count) -> above[0] += times > ratio ? count : 0);
        return above[0];
    }

    private void keep(double of) {
        requests *= of;
        for (int i = 0; i < BINS; i++) {
            bins[i] *= of;
        }
    }

    private static int bin(double times) {
        return Math.clamp((long) (Math.log(Math.max(times, LOWEST) / LOWEST) / WIDTH), 0, BINS - 1);
    }
}
