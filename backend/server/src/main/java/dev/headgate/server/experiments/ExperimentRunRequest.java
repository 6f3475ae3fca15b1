package dev.headgate.server.experiments;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run that is wished for.
 *
 * @param form "quick" (less than two minutes) or "full"; quick if omitted
 * @param values that replace those of the form, by parameter
 * @param seed of everything random; drawn if omitted
 */
@Schema(name = "ExperimentRunCreate")
record ExperimentRunRequest(
        @Schema(allowableValues = {"quick", "full"})
        @Pattern(regexp = "^(quick|full)$", message = "must be a form")
        @Nullable
        String form,

        @Nullable Map<String, Double> values,
        @Nullable Long seed) {}
