package dev.headgate.server.api;

import dev.headgate.engine.governor.Answer;
import io.swagger.v3.oas.annotations.media.Schema;

/** The policy that gives the ceiling, and why. */
@Schema(name = "Binding")
public record BindingJson(String policy, String reason) {

    public static BindingJson of(Answer answer) {
        return new BindingJson(answer.plugin(), answer.limits().reason());
    }
}
