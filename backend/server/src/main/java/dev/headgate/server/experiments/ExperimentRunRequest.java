package dev.headgate.server.experiments;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run that is wished for.
 *
 * @param form "quick" (less than two minutes) or "full"; quick if omitted
 * @param values that replace those of the form, by parameter
 * @param seed of everything random; drawn if omitted. JavaScript has no larger whole numbers
 */
@Schema(name = "ExperimentRunCreate")
record ExperimentRunRequest(
        @Schema(allowableValues = {"quick", "full"})
        @Pattern(regexp = "^(quick|full)$", message = "must be a form")
        @Nullable
        String form,

        @Nullable Map<String, Double> values,

        @Min(-ExperimentRunRequest.MOST_SEED) @Max(ExperimentRunRequest.MOST_SEED) @Nullable
        Long seed) {

    /** A larger whole number is not exact in a double, and so not in a browser. */
    static final long MOST_SEED = (1L << 53) - 1;
}
