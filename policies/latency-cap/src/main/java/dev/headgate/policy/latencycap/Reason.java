package dev.headgate.policy.latencycap;

import java.util.OptionalDouble;

/**
 * A sentence that explains what was decided.
 *
 * @param judgedNanos what the capped statistic was judged to be at present; where the sentence tells it, it tells this figure
 * @param needsNobodyWaiting whether it is true only as long as nobody waits for more
 */
record Reason(String sentence, OptionalDouble judgedNanos, boolean needsNobodyWaiting) {

    /** Of no measurement. */
    static Reason of(String sentence) {
        return new Reason(sentence, OptionalDouble.empty(), false);
    }

    static Reason of(String sentence, double judgedNanos) {
        return new Reason(sentence, OptionalDouble.of(judgedNanos), false);
    }

    /** The same, but it is true only as long as nobody waits for more. */
    Reason whileNobodyWaits() {
        return new Reason(sentence, judgedNanos, true);
    }
}
