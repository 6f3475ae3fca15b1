package dev.headgate.engine.gate;

import dev.headgate.spi.Limits;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits admissions per second and the size of a burst, by the generic cell rate algorithm (ITU-T I.371). Its state is one
 * number, the theoretical arrival time of the next admission, which a compare-and-set advances. It may be ahead of the
 * clock by the intervals of a burst minus one admission.
 */
final class Rate implements Pace {

    /** The default burst: the admissions of this time, at least one. */
    private static final long DEFAULT_BURST_NANOS = 100_000_000;

    /** No burst reaches further ahead of the clock than this, because the clock's range is finite. */
    private static final long LONGEST_BURST_NANOS = 3_600_000_000_000L;

    private final double perSecond;
    private final int burst;
    private final long incrementNanos;
    private final long toleranceNanos;
    private final AtomicLong theoreticalArrival;

    /** @param burst admissions at once, at least 1; {@link Limits#UNSPECIFIED} for a tenth of a second's worth */
    Rate(double perSecond, int burst, long nowNanos) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.incrementNanos = (long) Math.clamp(1e9 / perSecond, 1, LONGEST_BURST_NANOS);
        this.toleranceNanos = burst == Limits.UNSPECIFIED
                ? Math.max(0, DEFAULT_BURST_NANOS - incrementNanos)
                : (long) Math.min((burst - 1.0) * incrementNanos, LONGEST_BURST_NANOS);
        this.theoreticalArrival = new AtomicLong(nowNanos);
    }

    boolean is(double otherPerSecond, int otherBurst) {
        return perSecond == otherPerSecond && burst == otherBurst;
    }

    @Override
    public boolean tryTake(long nowNanos) {
        for (; ; ) {
            long expected = theoreticalArrival.get();
            if (expected - nowNanos > toleranceNanos) {
                return false;
            }
            long base = expected - nowNanos > 0 ? expected : nowNanos;
            if (theoreticalArrival.compareAndSet(expected, base + incrementNanos)) {
                return true;
            }
        }
    }

    @Override
    public void giveBack() {
        theoreticalArrival.addAndGet(-incrementNanos);
    }

    @Override
    public long waitNanos(long nowNanos) {
        return Math.max(0, -overdueNanos(nowNanos));
    }

    /** How long the next admission has been allowed; negative if it is not allowed yet. */
    long overdueNanos(long nowNanos) {
        return nowNanos - theoreticalArrival.get() + toleranceNanos;
    }
}
