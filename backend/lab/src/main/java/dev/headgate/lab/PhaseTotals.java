package dev.headgate.lab;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/** What became of all arrivals that were due in one phase of a load. Safe for use by several threads. */
final class PhaseTotals {

    final LongAdder offered = new LongAdder();
    final LongAdder errors = new LongAdder();

    /** With the dropped ones. */
    final LongAdder refused = new LongAdder();

    final LongAdder dropped = new LongAdder();

    private final Histogram latencyMicros = new Histogram(2);
    private final Histogram lateMicros = new Histogram(2);

    /** @param lateNanos how long after its time an arrival began */
    synchronized void begun(long lateNanos) {
        lateMicros.recordValue(Math.max(0, lateNanos / 1_000));
    }

    synchronized void committed(long latencyNanos) {
        latencyMicros.recordValue(Math.max(0, latencyNanos / 1_000));
    }

    synchronized void addLatenessTo(Histogram micros) {
        micros.add(lateMicros);
    }

    synchronized void addLatencyTo(Histogram micros) {
        micros.add(latencyMicros);
    }

    WorkloadStatus.Latency latency(double windowNanos) {
        Histogram micros = new Histogram(2);
        addLatencyTo(micros);
        return WorkloadStatus.Latency.of(micros, windowNanos);
    }
}
