package dev.headgate.engine.gate;

import java.util.concurrent.atomic.AtomicLong;

/**
 * At most so many admissions per second, with a burst of one tenth of a second's worth (at least one). The generic cell
 * rate algorithm (ITU-T I.371): one number, the theoretical arrival time of the next admission, moved on by compare and
 * set. Lock-free; safe for any number of threads.
 */
final class Pace {

    private final double perSecond;
    private final long incrementNanos;
    private final long toleranceNanos;
    private final AtomicLong theoreticalArrival;

    Pace(double perSecond, long nowNanos) {
        this.perSecond = perSecond;
        this.incrementNanos = Math.max(1, (long) (1e9 / perSecond));
        this.toleranceNanos = Math.max(0, 100_000_000L - incrementNanos);
        this.theoreticalArrival = new AtomicLong(nowNanos);
    }

    double perSecond() {
        return perSecond;
    }

    /** Takes one admission if the rate allows it now. */
    boolean tryTake(long nowNanos) {
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

    /** Gives back an admission that was taken for nothing. */
    void giveBack() {
        theoreticalArrival.addAndGet(-incrementNanos);
    }

    /** How long until the next admission; 0 where it is allowed now. */
    long waitNanos(long nowNanos) {
        return Math.max(0, theoreticalArrival.get() - nowNanos - toleranceNanos);
    }
}
