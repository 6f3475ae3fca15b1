package dev.headgate.server.api;

import dev.headgate.engine.governor.Answer;
import dev.headgate.spi.Limits;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What one policy answered, or what all came to.
 *
 * @param policy the plugin; "database/" before it where the policy belongs to the database's own set
 * @param ceiling null where the policy does not bound it
 * @param guaranteed null where the policy does not say
 * @param weight its share in what is scarce; null where the policy does not say
 * @param ratePerSecond leases per second at most; null where unbounded
 * @param whenExhausted queue, fail or reject
 * @param predictedMs the latency that the policy expects at the size it grants, in the figure it steers by; null where it predicts none
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

    /** What all policies came to; {@code policy} is the one whose ceiling binds. */
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
                predictedNanos.isPresent() ? (Double) Millis.of(predictedNanos.getAsDouble()) : null,
                limits.reason());
    }

    public static List<AnswerJson> all(List<Answer> answers) {
        return answers.stream().map(AnswerJson::of).toList();
    }

    private static @Nullable Double finite(double value) {
        return Double.isInfinite(value) ? null : (Double) value;
    }

    static @Nullable Integer specified(int value) {
        return value == Limits.UNSPECIFIED ? null : (Integer) value;
    }
}
