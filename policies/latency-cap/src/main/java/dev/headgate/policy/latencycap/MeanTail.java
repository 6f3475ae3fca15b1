package dev.headgate.policy.latencycap;

/**
 * The mean, in multiples of the body: an average over about a minute. Under a heavy tail the mean of a second is mostly far too low
 * and sometimes far too high; decided on, it makes a pool grow and shrink with every slow request. Its standard error follows from
 * how much the measurements differ.
 */
final class MeanTail implements Tail {

    private static final double MEMORY_SECONDS = 60;
    /** The standard deviation of one request, in multiples of the body, until the data say more. */
    private static final double LEAST_SPREAD = 0.5;

    private static final double SPREAD_MEMORY = 0.05;
    private static final double LIMIT = 8;
    /** What is kept of the memory when the work has changed. */
    private static final double KEPT = 0.05;

    private final Surprises surprises;
    private double spreadSquared = 1;
    private long updatedNanos;
    // sums over measurements of w, w x, w^2, w^2 x, w^2 x^2: w requests, x their mean
    private double sw;
    private double swx;
    private double sww;
    private double swwx;
    private double swwxx;

    MeanTail() {
        this.surprises = new Surprises(LIMIT);
    }

    private MeanTail(MeanTail other) {
        this.surprises = new Surprises(other.surprises);
        this.spreadSquared = other.spreadSquared;
        this.updatedNanos = other.updatedNanos;
        this.sw = other.sw;
        this.swx = other.swx;
        this.sww = other.sww;
        this.swwx = other.swwx;
        this.swwxx = other.swwxx;
    }

    @Override
    public Tail copy() {
        return new MeanTail(this);
    }

    @Override
    public boolean known() {
        return sw > 0;
    }

    @Override
    public double ratio() {
        return sw > 0 ? swx / sw : 1;
    }

    @Override
    public double above(double deviations) {
        return ratio() + deviations * deviation();
    }

    @Override
    public double below(double deviations) {
        return Math.max(0, ratio() - deviations * deviation());
    }

    @Override
    public double chance(long requests, double deviations) {
        return sw <= 0 ? 1 : 1 + deviations * Math.sqrt(squares() / sw / requests) / ratio();
    }

    private double deviation() {
        return sw <= 0 ? 0 : Math.max(Math.sqrt(squares()) / sw, LEAST_SPREAD * ratio() / Math.sqrt(sw));
    }

    /** How far the measurements are from their mean: the sum of squares, each weighted twice by its requests. */
    private double squares() {
        double mean = ratio();
        return Math.max(0, swwxx - 2 * mean * swwx + mean * mean * sww);
    }

    @Override
    public void learn(long nowNanos, Sample sample) {
        double x = sample.meanTimes();
        double w = sample.count();
        if (known()) {
            keep(Math.exp(-Math.max(0, nowNanos - updatedNanos) / 1e9 / MEMORY_SECONDS));
            double error = x - ratio();
            double noise = spreadSquared / w + deviation() * deviation();
            if (surprises.add(error / Math.sqrt(noise))) {
                keep(KEPT);
            }
            spreadSquared += SPREAD_MEMORY * (error * error * w - spreadSquared);
        }
        updatedNanos = nowNanos;
        sw += w;
        swx += w * x;
        sww += w * w;
        swwx += w * w * x;
        swwxx += w * w * x * x;
    }

    private void keep(double share) {
        sw *= share;
        swx *= share;
        sww *= share * share;
        swwx *= share * share;
        swwxx *= share * share;
    }
}
