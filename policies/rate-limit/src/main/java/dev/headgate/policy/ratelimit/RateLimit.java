package dev.headgate.policy.ratelimit;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import java.math.BigDecimal;

/**
 * So many leases per second, and so many at once after a quiet time. The gate keeps to it by the generic cell rate algorithm
 * (ITU-T I.371), request by request; the policy itself is asked at steps of the governor alone, and could not.
 *
 * <p>It bounds how often connections are lent, not how many: a pool that waits for its rate does not grow for it. Requests
 * beyond the rate wait in the pool's queue while there are connections free, so the depth and the timeout of
 * {@code whenExhausted} say how much of a flood is kept waiting, and for how long.
 *
 * <p>In a database's set it bounds the sum of the domains, which take turns when it holds them back.
 */
final class RateLimit implements Policy {

    private final Limits limits;

    RateLimit(double perSecond, int burst) {
        this.limits = Limits.unbounded()
                .withRate(perSecond)
                .withBurst(burst)
                .because("At most %s %s per second, %d at once."
                        .formatted(
                                BigDecimal.valueOf(perSecond)
                                        .stripTrailingZeros()
                                        .toPlainString(),
                                perSecond == 1 ? "lease" : "leases",
                                burst));
    }

    @Override
    public Limits limits(PoolView pool) {
        return limits;
    }
}
