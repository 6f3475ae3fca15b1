package dev.headgate.policy.latencycap;

import dev.headgate.spi.Latency;

/** The figure of a latency distribution that the cap is on. */
enum Statistic {
    MEAN("mean", 0, 1.0, 40) {
        @Override
        double nanos(Latency latency) {
            return latency.meanNanos();
        }
    },
    P95("p95", 0.95, 1.5, 100) {
        @Override
        double nanos(Latency latency) {
            return latency.percentileNanos(95);
        }
    },
    P99("p99", 0.99, 2.2, 300) {
        @Override
        double nanos(Latency latency) {
            return latency.percentileNanos(99);
        }
    };

    private static final double WELL_KNOWN = 0.05;

    private final String label;
    private final double share;
    private final double spread;
    private final int enough;

    Statistic(String label, double share, double spread, int enough) {
        this.label = label;
        this.share = share;
        this.spread = spread;
        this.enough = enough;
    }

    abstract double nanos(Latency latency);

    /** As written in parameters and shown to people. */
    String label() {
        return label;
    }

    /** The share of requests that are at most as long as this figure; 0 for the mean, which is no percentile. */
    double share() {
        return share;
    }

    /**
     * The standard error of this figure over one sample, relative to the figure, where latencies are exponentially
     * distributed: 1 for the mean, sqrt(p (1-p)) / (f(q) q) for the quantile q of rank p. What a world really shows is
     * learned from there.
     */
    double spread() {
        return spread;
    }

    /** Samples that make this figure worth judging by. */
    int enough() {
        return enough;
    }

    /** Requests among which this figure is known to a twentieth, by {@link #spread}: what a window must hold to be judged by it. */
    long perWindow() {
        return Math.round(Math.pow(spread / WELL_KNOWN, 2));
    }

    static Statistic of(String label) {
        for (Statistic each : values()) {
            if (each.label.equals(label)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no such statistic: " + label);
    }
}
