package dev.headgate.engine.governor;

import dev.headgate.spi.Limits;
import java.util.List;
import java.util.Optional;

/**
 * A policy set that is asked beside the live one, with the same inputs, and decides nothing. It differs from the live one
 * in one input: the limits that were last in force are its own, since a policy that moves its ceiling step by step must
 * find it where it left it. The governor's own, but for {@link #status()}.
 */
final class Shadow {

    final ActiveSet active;
    private String told = "";
    private long steps;
    private long differed;
    private volatile ShadowStatus status;

    Shadow(PolicySet set) {
        active = new ActiveSet(set, "shadow/");
        status = new ShadowStatus(Limits.unbounded(), Limits.unbounded(), List.of(), 0, 0, Optional.empty());
    }

    /**
     * Compares what both sets answered in this step.
     *
     * @param budget limits beyond it are no different
     * @return how they differ, where that has changed since it was last told; an empty text where they agree again
     */
    Optional<String> compare(Limits live, int budget) {
        Limits shadow = active.combined();
        String difference = difference(live, shadow, budget);
        steps++;
        if (!difference.isEmpty()) {
            differed++;
        }
        status = new ShadowStatus(shadow, live, active.answers(), steps, differed, active.degraded());
        if (difference.equals(told)) {
            return Optional.empty();
        }
        told = difference;
        return Optional.of(difference);
    }

    ShadowStatus status() {
        return status;
    }

    private static String difference(Limits live, Limits shadow, int budget) {
        StringBuilder text = new StringBuilder();
        int liveCeiling = Math.min(budget, live.ceiling());
        int shadowCeiling = Math.min(budget, shadow.ceiling());
        int liveFloor = Math.min(live.floor(), liveCeiling);
        int shadowFloor = Math.min(shadow.floor(), shadowCeiling);
        if (liveFloor != shadowFloor || liveCeiling != shadowCeiling) {
            add(
                    text,
                    "hold %d to %d".formatted(shadowFloor, shadowCeiling),
                    "%d to %d".formatted(liveFloor, liveCeiling));
        }
        if (live.guaranteed() != shadow.guaranteed()) {
            add(text, "be owed " + owed(shadow), owed(live));
        }
        if (live.rate() != shadow.rate()) {
            add(text, "give " + rate(shadow), rate(live));
        }
        if (live.whenExhausted().mode() != shadow.whenExhausted().mode()) {
            add(text, "answer exhaustion with " + mode(shadow), mode(live));
        }
        return text.toString();
    }

    private static void add(StringBuilder text, String shadow, String live) {
        text.append(text.isEmpty() ? "" : ", ")
                .append(shadow)
                .append(" instead of ")
                .append(live);
    }

    private static String owed(Limits limits) {
        return limits.guaranteed() == Limits.UNSPECIFIED ? "nothing" : Integer.toString(limits.guaranteed());
    }

    private static String rate(Limits limits) {
        return Double.isInfinite(limits.rate()) ? "any number of leases" : "%.4g leases/s".formatted(limits.rate());
    }

    private static String mode(Limits limits) {
        return limits.whenExhausted().mode().name().toLowerCase(java.util.Locale.ROOT);
    }
}
