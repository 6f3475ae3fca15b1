package dev.headgate.server.rehearsals;

import dev.headgate.server.policies.PolicySetRequest;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What is to be replayed.
 *
 * @param policySet the candidate; left out, the set in force
 * @param seconds how much of the past, 5 to 600; 60 where it is left out
 */
@Schema(name = "Replay")
record ReplayRequest(
        @Nullable PolicySetRequest policySet,
        @Schema(minimum = "5", maximum = "600") @Nullable Integer seconds) {}
