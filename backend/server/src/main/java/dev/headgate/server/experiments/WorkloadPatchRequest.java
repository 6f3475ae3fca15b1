package dev.headgate.server.experiments;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What is to change of a load; what is left out stays. Takes effect at once and survives a restart.
 *
 * @param ratePerSecond 0.1..5000
 * @param varies whether the rate rises and falls over minutes, or stays
 */
@Schema(name = "WorkloadPatch")
record WorkloadPatchRequest(
        @Nullable Boolean running,

        @Schema(minimum = "0.1", maximum = "5000") @Nullable Double ratePerSecond,

        @Nullable Boolean varies) {}
