package dev.headgate.lab.load;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** Collects what became of requests during the measured part of a load. Safe for any thread. */
final class Tally {

    private final Recorder done = new Recorder(3);
    private final Recorder refused = new Recorder(3);
    private final Recorder lateness = new Recorder(3);
    private final LongAdder failures = new LongAdder();
    private final LongAdder unfinished = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final long fromNanos;
    private final long toNanos;
    private volatile @Nullable String lastFailure;
    private volatile boolean gaveUp;

    /** @param fromNanos requests that were due earlier do not count, nor do those of {@code toNanos} and later */
    Tally(long fromNanos, long toNanos) {
        this.fromNanos = fromNanos;
        this.toNanos = toNanos;
    }

    private boolean counts(long dueNanos) {
        return dueNanos - fromNanos >= 0 && dueNanos - toNanos < 0;
    }

    /** The generator started a request this long after it was due. */
    void started(long dueNanos, long nowNanos) {
        if (counts(dueNanos)) {
            lateness.recordValue(Math.max(0, nowNanos - dueNanos));
        }
    }

    void ended(Action.Answer answer, long dueNanos, long nowNanos) {
        long nanos = Math.max(0, nowNanos - dueNanos);
        if (gaveUp && answer == Action.Answer.FAILED) {
            cutOff(dueNanos, nanos);
        } else if (counts(dueNanos)) {
            switch (answer) {
                case DONE -> done.recordValue(nanos);
                case REFUSED -> refused.recordValue(nanos);
                case FAILED -> failures.increment();
            }
        }
    }

    void failed(Throwable cause, long dueNanos, long nowNanos) {
        if (gaveUp) {
            cutOff(dueNanos, Math.max(0, nowNanos - dueNanos));
            return;
        }
        lastFailure = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        if (counts(dueNanos)) {
            failures.increment();
        }
    }

    /** The generator could not start a request. */
    void dropped(long dueNanos) {
        lastFailure = "too many requests were in flight";
        if (counts(dueNanos)) {
            failures.increment();
            dropped.increment();
        }
    }

    /** The load interrupts the requests that are still running. One that fails from now on is unfinished, whatever it says. */
    void gaveUp() {
        gaveUp = true;
    }

    private void cutOff(long dueNanos, long soFarNanos) {
        lastFailure = "it had not ended after %.1f s".formatted(soFarNanos / 1e9);
        if (counts(dueNanos)) {
            done.recordValue(soFarNanos);
            failures.increment();
            unfinished.increment();
        }
    }

    LoadResult result() {
        Histogram latency = done.getIntervalHistogram();
        return new LoadResult(
                latency,
                refused.getIntervalHistogram(),
                lateness.getIntervalHistogram(),
                failures.sum(),
                unfinished.sum(),
                dropped.sum(),
                (toNanos - fromNanos) / 1e9,
                lastFailure);
    }
}
