package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.spi.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a policy set says now. Immutable.
 *
 * @param limits the combined answers, with the set's own word on exhaustion
 * @param answers what each policy answered
 * @param degraded which policy fails, and what is in force instead of its answer, if one does
 */
record Verdict(long revision, Limits limits, List<Answer> answers, Optional<String> degraded) {

    /** More than any server gives, and few enough for the sums over all domains. */
    private static final int MOST_GUARANTEED = 1_000_000;

    /** The name under which a size that is tried stands among the policies. */
    static final String TRIED = "find-my-size";

    /**
     * The same, but for a size that is tried in place of floor, ceiling and guarantee. Rates and alarms stand, with the policies
     * that give them.
     */
    Verdict tried(int size) {
        String reason = "A size of %d is tried.".formatted(size);
        List<Answer> others = new ArrayList<>();
        others.add(new Answer(
                TRIED, Limits.unbounded().withFloor(size).withCeiling(size).because(reason)));
        for (Answer answer : answers) {
            if (!Double.isInfinite(answer.limits().rate())
                    || !answer.limits().alarms().isEmpty()) {
                others.add(answer.with(ofAnySize(answer.limits())));
            }
        }
        Limits other = ofAnySize(limits).withFloor(size).withCeiling(size).because(reason);
        return new Verdict(revision, other, List.copyOf(others), degraded);
    }

    private static Limits ofAnySize(Limits limits) {
        return limits.withFloor(0).withCeiling(Limits.UNSPECIFIED).withGuaranteed(Limits.UNSPECIFIED);
    }

    /** Floor and ceiling within a budget; the only place where they are computed. */
    Bounds bounds(int budget, int target) {
        int ceiling = Math.min(budget, limits.ceiling());
        return new Bounds(Math.min(limits.floor(), ceiling), ceiling, target);
    }

    /** Connections owed on demand; 0 where no policy says so. */
    int guaranteed() {
        return limits.guaranteed() == Limits.UNSPECIFIED ? 0 : Math.min(limits.guaranteed(), MOST_GUARANTEED);
    }

    /** Connections that nobody needed for so long are closed. */
    long idleTimeoutNanos() {
        return limits.idleTimeoutNanos() == Long.MAX_VALUE
                ? Division.DEFAULT_IDLE_TIMEOUT_NANOS
                : limits.idleTimeoutNanos();
    }

    /** The policy with the lowest ceiling, if any gives one: the one whose reason the combined limits carry. */
    Optional<Answer> binding() {
        return limits.ceiling() == Limits.UNSPECIFIED
                ? Optional.empty()
                : first(each ->
                        each.ceiling() == limits.ceiling() && each.reason().equals(limits.reason()));
    }

    /** The policy with the lowest rate, if any gives one. */
    Optional<Answer> pacing() {
        return Double.isInfinite(limits.rate()) ? Optional.empty() : first(each -> each.rate() == limits.rate());
    }

    /** By the plugin's name. In every step of every pool: so without a stream. */
    private Optional<Answer> first(Predicate<Limits> which) {
        Answer first = null;
        for (Answer answer : answers) {
            if (which.test(answer.limits()) && (first == null || answer.plugin().compareTo(first.plugin()) < 0)) {
                first = answer;
            }
        }
        return Optional.ofNullable(first);
    }
}
