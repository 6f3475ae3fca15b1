package dev.headgate.engine.governor;

import java.util.concurrent.TimeUnit;

/**
 * How much processor time one policy has used recently: a leaky bucket. Each call adds what it used, and a twentieth of a core
 * drains away. This finds a policy that keeps its deadline but burns most of it at every step, which would cost every domain its
 * latency.
 */
final class Appetite {

    /** The share of one core that a policy may use in the long run. */
    static final double SHARE = 0.05;

    /** What it may use at once beyond its share, to load its classes and for the first calls before they are compiled. */
    static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    private double usedNanos;
    private long lastNanos;

    /**
     * Adds what a call used.
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
