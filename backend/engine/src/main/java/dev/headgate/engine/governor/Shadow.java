package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.spi.Limits;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A policy set that is asked beside the live one and decides nothing. It gets the same inputs, except one: the last limits in its
 * view are its own, because a policy that moves its ceiling step by step must find it where it left it. Governor only, but for
 * {@link #status()}.
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
     * Compares the answers of both sets in this step.
     *
     * @param budget limits beyond it are no different
     * @return how they differ, where that has changed since it was last told; an empty text where they agree again
     */
    Optional<String> compare(Verdict live, int budget) {
        Verdict shadow = active.verdict();
        String difference = difference(live, shadow, budget);
        steps++;
        if (!difference.isEmpty()) {
            differed++;
        }
        status = new ShadowStatus(shadow.limits(), live.limits(), shadow.answers(), steps, differed, shadow.degraded());
        if (difference.equals(told)) {
            return Optional.empty();
        }
        told = difference;
        return Optional.of(difference);
    }

    ShadowStatus status() {
        return status;
    }

    private static String difference(Verdict liveVerdict, Verdict shadowVerdict, int budget) {
        StringBuilder text = new StringBuilder();
        Bounds liveBounds = liveVerdict.bounds(budget, 0);
        Bounds shadowBounds = shadowVerdict.bounds(budget, 0);
        if (!liveBounds.equals(shadowBounds)) {
            add(
                    text,
                    "hold %d to %d".formatted(shadowBounds.floor(), shadowBounds.ceiling()),
                    "%d to %d".formatted(liveBounds.floor(), liveBounds.ceiling()));
        }
        Limits live = liveVerdict.limits();
        Limits shadow = shadowVerdict.limits();
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
        return limits.whenExhausted().mode().name().toLowerCase(Locale.ROOT);
    }
}
