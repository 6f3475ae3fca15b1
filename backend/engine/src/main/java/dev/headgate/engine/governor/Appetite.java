package dev.headgate.engine.governor;

import java.util.concurrent.TimeUnit;

/**
 * How much processor time one policy has used of late: a leaky bucket. What it uses is poured in; a twentieth of a core runs
 * out. A policy that answers within its deadline every time can still cost every domain its latency, by burning most of the
 * deadline at every step; this is where that shows.
 */
final class Appetite {

    /** Of one core, for good. */
    static final double SHARE = 0.05;

    /** What it may use at once beyond its share: loading its classes, the first calls before they are compiled. */
    static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private double usedNanos;
    private long lastNanos;

    /**
     * Pours in what a call used.
     *
     * @return whether that is more than a policy may use
     */
    boolean exceededBy(long processorNanos, long nowNanos) {
        if (usedNanos > 0) {
            usedNanos = Math.max(0, usedNanos - SHARE * (nowNanos - lastNanos));
        }
        lastNanos = nowNanos;
        usedNanos += processorNanos;
        return usedNanos > BURST_NANOS;
    }
}
