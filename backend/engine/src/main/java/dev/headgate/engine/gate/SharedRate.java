package dev.headgate.engine.gate;

import dev.headgate.spi.Limits;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One rate for the admissions of several gates together. While it holds nobody back, whoever comes first is admitted; from
 * then on the gates take turns, however many requests wait at each.
 *
 * <h2>Taking turns</h2>
 *
 * A gate that is held back makes a <em>claim</em>, which stands until its next admission. The claim that has stood longest
 * is {@code first}, and the next admission is kept for it: so the gate that was served last comes after all others that
 * wait. As at the gate itself, fair must not mean slow, nor may a gate that does not come hold up the rest:
 *
 * <ul>
 *   <li>a claim is passed while it is younger than {@value Gate#STRICT_AFTER_NANOS} ns, so that a fast rate is not handed
 *       from parked thread to parked thread;
 *   <li>a claim is void once the admission it was kept for has been due for {@value #KEPT_FOR_NANOS} ns: its requests have
 *       timed out, say, or its gate has no permit free.
 * </ul>
 *
 * Nobody is woken by anybody else's gate. Each looks again by itself when {@link Pace#waitNanos} is over, so no wake-up can
 * be lost between gates; an admission that is given back is taken at the next look of any. The races that are left (a claim
 * that becomes first just after its gate was served) cost an admission that delay once, and nobody a place for good.
 */
public final class SharedRate {

    /** An admission is kept so long for the gate whose turn it is. */
    static final long KEPT_FOR_NANOS = 1_000_000;

    /** A gate was held back, from this time on; a class, so that each is itself alone. */
    private static final class Claim {
        private final long sinceNanos;

        Claim(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }

    private final Rate rate;
    private final AtomicReference<@Nullable Claim> first = new AtomicReference<>();

    /** @param burst admissions at once, at least 1; {@link Limits#UNSPECIFIED} for a tenth of a second's worth */
    public SharedRate(double perSecond, int burst, long nowNanos) {
        this.rate = new Rate(perSecond, burst, nowNanos);
    }

    public boolean is(double perSecond, int burst) {
        return rate.is(perSecond, burst);
    }

    /** A place for one more gate. */
    Pace turn(@Nullable Rate own) {
        return new Turn(own);
    }

    /** One gate's place, with the gate's own rate, if it has one, before it. */
    private final class Turn implements Pace {

        private final @Nullable Rate own;
        private volatile @Nullable Claim claim;

        Turn(@Nullable Rate own) {
            this.own = own;
        }

        @Override
        public boolean tryTake(long nowNanos) {
            if (own != null && !own.tryTake(nowNanos)) {
                return false;
            }
            Claim next = first.get();
            long overdueNanos = rate.overdueNanos(nowNanos);
            if (isKept(next, overdueNanos, nowNanos) || !rate.tryTake(nowNanos)) {
                if (own != null) {
                    own.giveBack();
                }
                makeClaim(nowNanos);
                return false;
            }
            if (next != null && (next == claim || overdueNanos > KEPT_FOR_NANOS)) {
                first.compareAndSet(next, null); // served, or void
            }
            claim = null;
            return true;
        }

        /** Whether the next admission is another gate's. */
        private boolean isKept(@Nullable Claim next, long overdueNanos, long nowNanos) {
            return next != null
                    && next != claim
                    && overdueNanos <= KEPT_FOR_NANOS
                    && nowNanos - next.sinceNanos > Gate.STRICT_AFTER_NANOS;
        }

        private void makeClaim(long nowNanos) {
            Claim mine = claim;
            if (mine == null) {
                mine = new Claim(nowNanos);
                claim = mine;
            }
            Claim next = first.get();
            if (next == null || mine.sinceNanos - next.sinceNanos < 0) {
                first.compareAndSet(next, mine); // if another was quicker: at the next look
            }
        }

        @Override
        public void giveBack() {
            rate.giveBack();
            if (own != null) {
                own.giveBack();
            }
        }

        @Override
        public long waitNanos(long nowNanos) {
            long overdueNanos = rate.overdueNanos(nowNanos);
            long shared = isKept(first.get(), overdueNanos, nowNanos)
                    ? KEPT_FOR_NANOS - overdueNanos + 1
                    : Math.max(0, -overdueNanos);
            return own == null ? shared : Math.max(shared, own.waitNanos(nowNanos));
        }
    }
}
