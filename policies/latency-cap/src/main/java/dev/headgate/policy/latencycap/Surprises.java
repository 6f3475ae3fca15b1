package dev.headgate.policy.latencycap;

/**
 * One-sided cumulative sums (Page 1954): small surprises that go on weigh as much as one that is large. Not thread-safe.
 */
final class Surprises {

    private static final double SLACK = 0.75;
    private static final double MOST = 4;

    private final double limit;
    private double up;
    private double down;

    Surprises(double limit) {
        this.limit = limit;
    }

    Surprises(Surprises other) {
        this(other.limit);
        this.up = other.up;
        this.down = other.down;
    }

    /**
     * Takes a surprise in.
     *
     * @param deviations how far what was measured is above what was expected, in standard deviations
     * @return whether something has changed; the sums begin anew then
     */
    boolean add(double deviations) {
        double capped = Math.clamp(deviations, -MOST, MOST);
        up = Math.max(0, up + capped - SLACK);
        down = Math.max(0, down - capped - SLACK);
        if (up < limit && down < limit) {
            return false;
        }
        up = 0;
        down = 0;
        return true;
    }
}
