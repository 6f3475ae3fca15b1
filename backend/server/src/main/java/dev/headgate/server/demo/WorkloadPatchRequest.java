package dev.headgate.server.demo;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A change of a load. Omitted fields keep their values. Takes effect at once. Of a demo load it survives a restart.
 *
 * @param ratePerSecond 0.1..5000
 * @param varies whether the rate rises and falls over minutes
 */
@Schema(name = "WorkloadPatch")
record WorkloadPatchRequest(
        @Nullable Boolean running,

        @Schema(minimum = "0.1", maximum = "5000") @Nullable Double ratePerSecond,

        @Nullable Boolean varies) {}
