package dev.headgate.engine.gate;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Latency;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.IntCountsHistogram;

/**
 * Counts refusals, and measures the waits of the requests that were admitted after one. Any thread may record and read.
 * ({@link Permits} counts all admissions: a request that does not wait touches nothing here.)
 */
final class Outcomes {

    private final LongAdder refused = new LongAdder();
    private final LongAdder left = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder waited = new LongAdder();
    private final LongAdder waitedNanos = new LongAdder();

    /** Guards {@link #waits}. Only requests that have waited record there, so a lock is cheap enough. */
    private final Object waitsLock = new Object();

    /** The waits of the current window. */
    private IntCountsHistogram waits = HdrLatency.newWindow();

    /** Counts a request that ended without a permit. */
    void refused(Refusal.Why why) {
        LongAdder count = switch (why) {
            case TIMED_OUT -> timedOut;
            case ENDED, INTERRUPTED -> left;
            case FAILED, REJECTED, QUEUE_FULL, CLOSED -> refused;
        };
        count.increment();
    }

    /** Records that a request was admitted after it had waited. */
    void admittedAfter(long nanos) {
        synchronized (waitsLock) {
            waits.recordValue(Math.min(nanos, HdrLatency.HIGHEST_NANOS));
        }
        waited.increment();
        waitedNanos.add(nanos);
    }

    long refusedTotal() {
        return refused.sum();
    }

    long leftTotal() {
        return left.sum();
    }

    long timedOutTotal() {
        return timedOut.sum();
    }

    long waitedTotal() {
        return waited.sum();
    }

    long waitedNanosTotal() {
        return waitedNanos.sum();
    }

    /** For {@link Gate#drainWaits}. */
    Latency drainWaits(long immediate) {
        IntCountsHistogram drained;
        synchronized (waitsLock) {
            drained = waits;
            waits = HdrLatency.newWindowLike(drained);
        }
        if (immediate > 0) {
            drained.recordValueWithCount(0, Math.min(immediate, Integer.MAX_VALUE));
        }
        return HdrLatency.of(drained);
    }
}
