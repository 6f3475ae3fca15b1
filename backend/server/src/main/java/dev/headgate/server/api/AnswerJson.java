package dev.headgate.server.api;

import dev.headgate.engine.governor.Answer;
import dev.headgate.spi.Limits;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The answer of one policy, or the combined answer of all.
 *
 * @param policy the plugin; with "database/" before it if the policy belongs to the database's own set
 * @param ceiling null if the policy does not bound it
 * @param guaranteed null if the policy does not set it
 * @param weight its share when connections are scarce; null if the policy does not set it
 * @param ratePerSecond the most leases per second; null if unbounded
 * @param whenExhausted queue, fail or reject
 * @param predictedMs the latency that the policy expects at the size it grants, in the figure it steers by; null if it predicts none
 */
@Schema(name = "Answer")
public record AnswerJson(
        String policy,
        int floor,
        @Nullable Integer ceiling,
        @Nullable Integer guaranteed,
        @Nullable Double weight,
        @Nullable Double ratePerSecond,
        @Nullable String whenExhausted,
        @Nullable Double predictedMs,
        String reason) {

    public static AnswerJson of(Answer answer) {
        return of(answer.plugin(), answer.limits(), answer.predictedNanos());
    }

    /** The combined answer; {@code policy} is the one whose ceiling binds. */
    static AnswerJson combined(String policy, Limits limits) {
        return of(policy, limits, OptionalDouble.empty());
    }

    private static AnswerJson of(String policy, Limits limits, OptionalDouble predictedNanos) {
        return new AnswerJson(
                policy,
                limits.floor(),
                specified(limits.ceiling()),
                specified(limits.guaranteed()),
                finite(limits.weight()),
                finite(limits.rate()),
                limits.whenExhausted().mode().name().toLowerCase(Locale.ROOT),
                millis(predictedNanos),
                limits.reason());
    }

    public static List<AnswerJson> all(List<Answer> answers) {
        return answers.stream().map(AnswerJson::of).toList();
    }

    static @Nullable Double millis(OptionalDouble nanos) {
        return nanos.isPresent() ? (Double) Millis.of(nanos.getAsDouble()) : null;
    }

    private static @Nullable Double finite(double value) {
        return Double.isInfinite(value) ? null : (Double) value;
    }

    static @Nullable Integer specified(int value) {
        return value == Limits.UNSPECIFIED ? null : (Integer) value;
    }
}
