package dev.headgate.server.api;

import dev.headgate.engine.governor.Answer;
import dev.headgate.spi.Limits;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one policy answered.
 *
 * @param policy the plugin; "database/" before it where the policy belongs to the database's own set
 * @param ceiling null where the policy does not bound it
 * @param guaranteed null where the policy does not say
 */
@Schema(name = "Answer")
public record AnswerJson(
        String policy,
        int floor,
        @Nullable Integer ceiling,
        @Nullable Integer guaranteed,
        String reason) {

    public static AnswerJson of(Answer answer) {
        Limits limits = answer.limits();
        return new AnswerJson(
                answer.plugin(),
                limits.floor(),
                specified(limits.ceiling()),
                specified(limits.guaranteed()),
                limits.reason());
    }

    public static List<AnswerJson> all(List<Answer> answers) {
        return answers.stream().map(AnswerJson::of).toList();
    }

    static @Nullable Integer specified(int value) {
        return value == Limits.UNSPECIFIED ? null : (Integer) value;
    }
}
