package dev.headgate.spi;

import java.util.concurrent.TimeUnit;

/**
 * What becomes of a request that finds no free connection while the pool may not grow.
 *
 * @param mode queue, fail or reject
 * @param timeoutNanos how long a queued request waits at most before it fails; also the longest a request of the other
 *     modes waits for a connection that is just being opened
 * @param depth how many requests may wait at once; one more fails at once
 */
public record WhenExhausted(Mode mode, long timeoutNanos, int depth) {

    /** From the least to the most restrictive. */
    public enum Mode {
        /** The request waits its turn, up to the timeout. */
        QUEUE,
        /** The request fails at once. */
        FAIL,
        /** The caller is turned away at the door, before any work is done: 503 over HTTP, SQLSTATE 53300 on the wire. */
        REJECT
    }

    private static final WhenExhausted UNBOUNDED = new WhenExhausted(Mode.QUEUE, Long.MAX_VALUE, Integer.MAX_VALUE);

    public WhenExhausted {
        if (timeoutNanos < 0 || depth < 0) {
            throw new IllegalArgumentException(
                    "timeoutNanos and depth must not be negative: " + timeoutNanos + ", " + depth);
        }
    }

    /** The neutral element of {@link #and}: wait for ever, in any number. */
    public static WhenExhausted unbounded() {
        return UNBOUNDED;
    }

    public static WhenExhausted queue(long timeoutMs, int depth) {
        return new WhenExhausted(Mode.QUEUE, TimeUnit.MILLISECONDS.toNanos(timeoutMs), depth);
    }

    /** The more restrictive of both in each part: the stricter mode, the shorter timeout, the shallower queue. */
    public WhenExhausted and(WhenExhausted other) {
        if (equals(UNBOUNDED)) {
            return other;
        }
        if (other.equals(UNBOUNDED)) {
            return this; // as most policies say
        }
        return new WhenExhausted(
                mode.compareTo(other.mode) >= 0 ? mode : other.mode,
                Math.min(timeoutNanos, other.timeoutNanos),
                Math.min(depth, other.depth));
    }
}
