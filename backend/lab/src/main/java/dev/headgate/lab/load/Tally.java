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
    private final long fromNanos;
    private final long toNanos;
    private volatile @Nullable String lastFailure;

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
        if (!counts(dueNanos)) {
            return;
        }
        switch (answer) {
            case DONE -> done.recordValue(Math.max(0, nowNanos - dueNanos));
            case REFUSED -> refused.recordValue(Math.max(0, nowNanos - dueNanos));
            case FAILED -> failures.increment();
        }
    }

    void failed(Exception cause, long dueNanos) {
        lastFailure = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        if (counts(dueNanos)) {
            failures.increment();
        }
    }

    LoadResult result() {
        Histogram latency = done.getIntervalHistogram();
        return new LoadResult(
                latency,
                refused.getIntervalHistogram(),
                lateness.getIntervalHistogram(),
                failures.sum(),
                (toNanos - fromNanos) / 1e9,
                lastFailure);
    }
}
