package dev.headgate.server.api;

import dev.headgate.spi.WhenExhausted;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of a request that finds no free connection.
 *
 * @param timeoutMs null if a request may wait for ever
 * @param depth null if any number may wait
 */
@Schema(name = "WhenExhausted", additionalProperties = Schema.AdditionalPropertiesValue.FALSE)
public record WhenExhaustedJson(
        @Schema(allowableValues = {"queue", "fail", "reject"})
        String mode,

        @Schema(minimum = "1", maximum = "3600000", requiredMode = Schema.RequiredMode.NOT_REQUIRED) @Nullable
        Long timeoutMs,

        @Schema(minimum = "0", maximum = "1000000", requiredMode = Schema.RequiredMode.NOT_REQUIRED) @Nullable
        Integer depth) {

    public static WhenExhaustedJson of(WhenExhausted whenExhausted) {
        return new WhenExhaustedJson(
                whenExhausted.mode().name().toLowerCase(Locale.ROOT),
                Millis.timeout(whenExhausted.timeoutNanos()),
                whenExhausted.depth() == Integer.MAX_VALUE ? null : (Integer) whenExhausted.depth());
    }
}
