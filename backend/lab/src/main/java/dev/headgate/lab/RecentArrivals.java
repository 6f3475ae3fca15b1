package dev.headgate.lab;

import org.HdrHistogram.Histogram;

/**
 * The results of the arrivals of about the last ten seconds, in a ring of half-second slots, each cleared before it is used
 * again. Safe for use by several threads; each call holds a lock for a short time.
 */
final class RecentArrivals {

    private static final int SLOTS = 20;
    private static final long SLOT_NANOS = 500_000_000;

    private static final class Slot {
        private long number = Long.MIN_VALUE;
        private long offered;
        private final Histogram latencyMicros = new Histogram(2);
        private final Histogram lateMicros = new Histogram(2);
    }

    private final Slot[] ring = new Slot[SLOTS];
    private final long originNanos;

    RecentArrivals(long nowNanos) {
        originNanos = nowNanos;
        for (int i = 0; i < SLOTS; i++) {
            ring[i] = new Slot();
        }
    }

    synchronized void offered(long nowNanos) {
        slot(nowNanos).offered++;
    }

    /** @param lateNanos how long after its time an arrival began */
    synchronized void begun(long lateNanos, long nowNanos) {
        slot(nowNanos).lateMicros.recordValue(Math.max(0, lateNanos / 1_000));
    }

    synchronized void committed(long latencyNanos, long nowNanos) {
        slot(nowNanos).latencyMicros.recordValue(Math.max(0, latencyNanos / 1_000));
    }

    /** A summary of the whole ring. */
    synchronized Summary summary(long nowNanos) {
        long current = number(nowNanos);
        Histogram merged = new Histogram(2);
        Histogram late = new Histogram(2);
        long offered = 0;
        for (Slot slot : ring) {
            if (slot.number > current - SLOTS) {
                merged.add(slot.latencyMicros);
                late.add(slot.lateMicros);
                offered += slot.offered;
            }
        }
        long first = Math.max(0, current - SLOTS + 1);
        double windowNanos = Math.max(1, (nowNanos - originNanos) - first * SLOT_NANOS);
        return new Summary(
                offered * 1e9 / windowNanos,
                merged.getTotalCount() * 1e9 / windowNanos,
                late.getValueAtPercentile(99) / 1e3,
                WorkloadStatus.Latency.of(merged, windowNanos));
    }

    record Summary(double offeredPerSecond, double achievedPerSecond, double lateMs, WorkloadStatus.Latency latency) {}

    private Slot slot(long nowNanos) {
        long number = number(nowNanos);
        Slot slot = ring[(int) (number % SLOTS)];
        if (slot.number != number) {
            slot.number = number;
            slot.offered = 0;
            slot.latencyMicros.reset();
            slot.lateMicros.reset();
        }
        return slot;
    }

    private long number(long nowNanos) {
        return (nowNanos - originNanos) / SLOT_NANOS;
    }
}
