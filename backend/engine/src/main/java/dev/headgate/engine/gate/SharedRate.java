package dev.headgate.engine.gate;

import dev.headgate.spi.Limits;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One rate for the admissions of several gates together. While it holds nobody back, requests are admitted in order of
 * arrival. When it does, the gates take turns, however many requests wait at each.
 *
 * <h2>Taking turns</h2>
 *
 * A gate that is held back makes a <em>claim</em>, which lasts until its next admission. The oldest claim is {@code first},
 * and the next admission is reserved for it. So the gate that was served last comes after all others that wait. As at the
 * gate itself, fair must not mean slow, and a gate that does not come must not delay the others:
 *
 * <ul>
 *   <li>other gates may pass a claim younger than {@value Turnstile#STRICT_AFTER_NANOS} ns, so that a fast rate is not handed
 *       from one parked thread to the next;
 *   <li>a claim becomes void when its reserved admission has been due for {@value #KEPT_FOR_NANOS} ns, for instance because
 *       its requests have timed out or its gate has no free permit.
 * </ul>
 *
 * Gates do not wake each other. Each checks again when {@link Pace#waitNanos} has passed, so no wake-up can be lost between
 * gates. An admission that is given back is taken at the next check of any gate. The remaining races (a claim becomes first
 * just after its gate was served) delay one admission by that time once; no gate loses its turn for good.
 */
public final class SharedRate {

    /** How long an admission is reserved for the gate whose turn it is. */
    static final long KEPT_FOR_NANOS = 1_000_000;

    /** The claim of a gate, held back since this time. A class, not a record, so that equality is identity. */
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

    /** One gate's place. The gate's own rate, if it has one, must allow an admission first; it is charged after the shared one. */
    private final class Turn implements Pace {

        private final @Nullable Rate own;
        private volatile @Nullable Claim claim;

        Turn(@Nullable Rate own) {
            this.own = own;
        }

        @Override
        public boolean tryTake(long nowNanos) {
            if (own != null && own.overdueNanos(nowNanos) < 0) {
                return false;
            }
            Claim next = first.get();
            long overdueNanos = rate.overdueNanos(nowNanos);
            if (isKept(next, overdueNanos, nowNanos) || !rate.tryTake(nowNanos)) {
                makeClaim(nowNanos);
                return false;
            }
            if (own != null && !own.tryTake(nowNanos)) { // another request of this gate was faster
                rate.giveBack();
                return false;
            }
            if (next != null && (next == claim || overdueNanos > KEPT_FOR_NANOS)) {
                first.compareAndSet(next, null); // served, or void
            }
            claim = null;
            return true;
        }

        /** Whether the next admission is reserved for another gate. */
        private boolean isKept(@Nullable Claim next, long overdueNanos, long nowNanos) {
            return next != null
                    && next != claim
                    && overdueNanos <= KEPT_FOR_NANOS
                    && nowNanos - next.sinceNanos > Turnstile.STRICT_AFTER_NANOS;
        }

        private void makeClaim(long nowNanos) {
            Claim mine = claim;
            if (mine == null) {
                mine = new Claim(nowNanos);
                claim = mine;
            }
            Claim next = first.get();
            if (next == null || mine.sinceNanos - next.sinceNanos < 0) {
                first.compareAndSet(next, mine); // if another gate was faster, this one tries again at its next check
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
