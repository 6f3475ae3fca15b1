package dev.headgate.policy.tiers;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Tier;
import java.util.Locale;

/**
 * A domain's standing on a shared database. It decides nothing by itself: the database's allocator honours the
 * guarantee whenever there is demand for it, and divides the rest by weight. (Guarantee, share and borrowing limit are
 * those of Kubernetes' API Priority and Fairness.)
 *
 * <p>What is guaranteed is not a floor: it is not opened before it is needed, and is lent while it is not. Where a
 * borrow limit is given, the domain may hold no more than its guarantee and that limit together.
 */
final class Tiers implements Policy {

    private final Limits limits;

    Tiers(Tier tier, int guaranteed, double weight, int borrowLimit) {
        Limits standing =
                Limits.unbounded().withTier(tier).withGuaranteed(guaranteed).withWeight(weight);
        this.limits = borrowLimit == Limits.UNSPECIFIED
                ? standing.because(
                        "%s: %d guaranteed, as many more as the database can spare.".formatted(name(tier), guaranteed))
                : standing.withCeiling(guaranteed + borrowLimit)
                        .because("%s: at most %d, which is %d guaranteed and %d borrowed."
                                .formatted(name(tier), guaranteed + borrowLimit, guaranteed, borrowLimit));
    }

    @Override
    public Limits limits(PoolView pool) {
        return limits;
    }

    private static String name(Tier tier) {
        String lower = tier.name().toLowerCase(Locale.ROOT);
        return Character.toUpperCase(lower.charAt(0)) + lower.substring(1);
    }
}
