package dev.headgate.simulator.worlds;

import dev.headgate.spi.Latency;

/** The figure of a latency distribution that a world caps. */
public enum Statistic {
    MEAN("mean", 1.0) {
        @Override
        public double nanos(Latency latency) {
            return latency.meanNanos();
        }
    },
    P95("p95", 1.5) {
        @Override
        public double nanos(Latency latency) {
            return latency.percentileNanos(95);
        }
    },
    P99("p99", 2.2) {
        @Override
        public double nanos(Latency latency) {
            return latency.percentileNanos(99);
        }
    };

    private final String label;
    private final double spread;

    Statistic(String label, double spread) {
        this.label = label;
        this.spread = spread;
    }

    /** The figure of a distribution, in nanoseconds. */
    public abstract double nanos(Latency latency);

    /** As latency-cap's parameter names it. */
    public String label() {
        return label;
    }

    /**
     * The standard error over one request, in multiples of the figure, where latencies are exponentially distributed: 1 for the
     * mean, sqrt(p (1-p)) / (f(q) q) for the quantile q of rank p.
     */
    double spread() {
        return spread;
    }
}
