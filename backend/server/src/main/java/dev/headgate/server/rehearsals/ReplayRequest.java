package dev.headgate.server.rehearsals;

import dev.headgate.server.policies.PolicySetRequest;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a replay.
 *
 * @param policySet the candidate; by default the set in force
 * @param seconds the length of the past to replay, 5 to 600; 60 by default
 */
@Schema(name = "Replay")
record ReplayRequest(
        @Nullable PolicySetRequest policySet,
        @Schema(minimum = "5", maximum = "600") @Nullable Integer seconds) {}
