package dev.headgate.engine.governor;

import dev.headgate.spi.Limits;
import java.util.OptionalDouble;

/**
 * What one policy answered.
 *
 * @param plugin the policy's plugin; for a policy of the database's own set, "database/" and the plugin
 * @param predictedNanos the latency it expects at the size it grants, where it predicts one
 */
public record Answer(String plugin, Limits limits, OptionalDouble predictedNanos) {

    /** An answer without a prediction. */
    public Answer(String plugin, Limits limits) {
        this(plugin, limits, OptionalDouble.empty());
    }
}
