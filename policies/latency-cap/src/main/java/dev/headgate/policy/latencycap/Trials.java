package dev.headgate.policy.latencycap;

import java.util.concurrent.TimeUnit;

/**
 * When one more connection may be tried though the model is not sure of it, and which sizes have failed.
 *
 * <p>A trial is repeated after 15, 30, 60 and then every 120 s. Growth that was granted, or a trial that held, starts this anew. A size
 * that did not keep the cap counts as failed for 15 s, and for twice as long each time that it fails again, up to 120 s. Not
 * thread-safe.
 */
final class Trials {

    private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(120);

    private boolean underWay;
    private long nextNanos;
    private long retryNanos = FIRST_RETRY_NANOS;

    private int failedSize = Integer.MAX_VALUE;
    private long failedUntilNanos;
    private long failedRetryNanos = FIRST_RETRY_NANOS;

    void start(long now) {
        nextNanos = now;
    }

    /** Whether the last change was a trial that has not been judged yet. */
    boolean underWay() {
        return underWay;
    }

    boolean isDue(long now) {
        return now - nextNanos >= 0;
    }

    void begin(long now) {
        putOff(now);
        underWay = true;
    }

    /** Ends a trial, whatever came of it. */
    void end() {
        underWay = false;
    }

    /** The trial has been measured, and the cap held: the next one may follow after a rest. */
    void held(long now) {
        forgive();
        nextNanos = now + Ceiling.REST_NANOS;
    }

    /** Puts the next trial off, twice as long as the last time. */
    void putOff(long now) {
        nextNanos = now + retryNanos;
        retryNanos = Math.min(2 * retryNanos, LAST_RETRY_NANOS);
    }

    /** The pool grows: a trial that fails from here on is the first one again. */
    void forgive() {
        retryNanos = FIRST_RETRY_NANOS;
    }

    /** A size that did not keep the cap is not granted again for a while, the longer the more often it fails. */
    void noteFailure(int size, long now) {
        failedRetryNanos =
                Math.abs(size - failedSize) <= 1 ? Math.min(2 * failedRetryNanos, LAST_RETRY_NANOS) : FIRST_RETRY_NANOS;
        failedSize = size;
        failedUntilNanos = now + failedRetryNanos;
    }

    boolean failedLately(int size, long now) {
        return size >= failedSize && now - failedUntilNanos < 0;
    }
}
