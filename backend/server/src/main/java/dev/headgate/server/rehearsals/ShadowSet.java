package dev.headgate.server.rehearsals;

import dev.headgate.server.policies.PolicySetRequest;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A domain's shadow set, and its comparison with the live one.
 *
 * @param steps how often both were asked since the shadow was set, or since the last restart
 * @param differed how often the shadow's limits differed
 * @param live the limits in force; null until the shadow has been asked
 * @param shadow the limits of the shadow set; null until it has been asked
 * @param degraded why its last answer is an old one, or why it is not asked; null if it is fresh
 */
@Schema(name = "ShadowSet")
record ShadowSet(
        Instant createdAt,
        String actor,
        PolicySetRequest policySet,
        long steps,
        long differed,
        Plan.@Nullable PlannedLimits live,
        Plan.@Nullable PlannedLimits shadow,
        @Nullable String degraded) {}
