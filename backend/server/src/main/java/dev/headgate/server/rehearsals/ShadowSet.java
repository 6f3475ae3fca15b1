package dev.headgate.server.rehearsals;

import dev.headgate.server.policies.PolicySetRequest;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A domain's shadow set, and how it has compared with the live one.
 *
 * @param steps how often both were asked since the shadow began, or since the last restart
 * @param differed how many of these times the shadow would have held other limits
 * @param live what is in force; null until the shadow has been asked
 * @param shadow what the shadow set would put in force; null until it has been asked
 * @param degraded why an old answer of it stands in for a fresh one, if one does
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
