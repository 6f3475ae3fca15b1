package dev.headgate.server.policies;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.headgate.server.api.WhenExhaustedJson;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A policy set as people write it, and as it is kept.
 *
 * @param whenExhausted where it is left out: for a domain, queue for at most 5 s with at most 1,000 waiting; for a
 *     database, no restriction
 * @param comment why, for the ones who read the history
 */
@Schema(name = "PolicySet")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PolicySetRequest(
        List<PolicyUseRequest> policies,
        @Nullable WhenExhaustedJson whenExhausted,
        @Nullable String comment) {

    /**
     * One policy.
     *
     * @param plugin the plugin's id
     * @param version of the plugin; left out, the newest is taken when the set is put, and kept with it
     * @param parameters what its schema asks for; what is left out has the schema's default
     */
    @Schema(name = "PolicyUse")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PolicyUseRequest(
            String plugin,
            @Nullable String version,
            @Nullable Map<String, Object> parameters) {

        /** Of the newest version. */
        public PolicyUseRequest(String plugin, @Nullable Map<String, Object> parameters) {
            this(plugin, null, parameters);
        }

        public PolicyUseRequest withVersion(String other) {
            return new PolicyUseRequest(plugin, other, parameters);
        }
    }

    static PolicySetRequest empty() {
        return new PolicySetRequest(List.of(), null, null);
    }

    public PolicySetRequest withoutComment() {
        return withComment(null);
    }

    PolicySetRequest withComment(@Nullable String other) {
        return new PolicySetRequest(policies, whenExhausted, other);
    }

    public PolicySetRequest withPolicies(List<PolicyUseRequest> others) {
        return new PolicySetRequest(others, whenExhausted, comment);
    }
}
