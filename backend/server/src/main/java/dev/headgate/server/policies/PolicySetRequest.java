package dev.headgate.server.policies;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.headgate.engine.Shortened;
import dev.headgate.server.api.WhenExhaustedJson;
import io.swagger.v3.oas.annotations.media.ArraySchema;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A policy set as people write it, and as it is stored.
 *
 * @param whenExhausted the default for a domain is queue for at most 5 s with at most 1,000 waiting; for a
 *     database, no restriction
 * @param comment the reason, for readers of the history
 */
@Schema(name = "PolicySet")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PolicySetRequest(
        @ArraySchema(maxItems = MOST_POLICIES) List<PolicyUseRequest> policies,
        @Nullable WhenExhaustedJson whenExhausted,
        @Schema(maxLength = LONGEST_COMMENT) @Nullable String comment) {

    static final int MOST_POLICIES = 16;

    /** In characters. */
    static final int LONGEST_COMMENT = 500;

    /**
     * One policy.
     *
     * @param plugin the plugin's id
     * @param version of the plugin; the default is the one in force, or the newest if the set in force does not have the plugin. It is
     *     stored with the set
     * @param parameters as its schema defines them; omitted ones have the schema's defaults
     */
    @Schema(name = "PolicyUse")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PolicyUseRequest(
            String plugin,
            @Nullable String version,
            @Nullable Map<String, Object> parameters) {

        /** Of the version in force, or the newest. */
        public PolicyUseRequest(String plugin, @Nullable Map<String, Object> parameters) {
            this(plugin, null, parameters);
        }

        public PolicyUseRequest withVersion(@Nullable String other) {
            return new PolicyUseRequest(plugin, other, parameters);
        }
    }

    static PolicySetRequest empty() {
        return new PolicySetRequest(List.of(), null, null);
    }

    public PolicySetRequest withoutComment() {
        return withComment(null);
    }

    /** The same set with a comment, which is cut where it is too long. */
    public PolicySetRequest withComment(@Nullable String other) {
        return new PolicySetRequest(
                policies, whenExhausted, other == null ? null : Shortened.to(LONGEST_COMMENT, other));
    }

    /**
     * This set, with the versions in force for policies that name none: that of the policy at the same place if it has the same
     * plugin, or else of the first one with that plugin. Without one, the version stays empty.
     */
    PolicySetRequest keepingVersionsOf(PolicySetRequest inForce) {
        List<@Nullable PolicyUseRequest> uses = policies == null ? List.of() : policies;
        List<@Nullable PolicyUseRequest> versioned = new ArrayList<>(uses);
        for (int i = 0; i < uses.size(); i++) {
            @Nullable PolicyUseRequest use = uses.get(i);
            if (use != null && use.version() == null) {
                versioned.set(i, use.withVersion(inForce.versionOf(use.plugin(), i)));
            }
        }
        return policies == null
                ? this
                : new PolicySetRequest(Collections.unmodifiableList(versioned), whenExhausted, comment);
    }

    private @Nullable String versionOf(String plugin, int place) {
        Stream<PolicyUseRequest> first = place < policies.size() ? Stream.of(policies.get(place)) : Stream.empty();
        return Stream.concat(first, policies.stream())
                .filter(use -> use.plugin().equals(plugin))
                .findFirst()
                .map(PolicyUseRequest::version)
                .orElse(null);
    }

    public PolicySetRequest withPolicies(List<PolicyUseRequest> others) {
        return new PolicySetRequest(others, whenExhausted, comment);
    }
}
