package dev.headgate.engine.governor;

import dev.headgate.spi.Limits;
import java.util.OptionalDouble;

/**
 * What one policy answered.
 *
 * @param plugin the policy's plugin; for a policy of the database's own set, "database/" and the plugin
 * @param predictedNanos the latency it expects at the size it grants, where it predicts one
 * @param judgedNanos the present latency that its reason rests on, where it judges one
 */
public record Answer(String plugin, Limits limits, OptionalDouble predictedNanos, OptionalDouble judgedNanos) {

    /** An answer without figures of latency. */
    public Answer(String plugin, Limits limits) {
        this(plugin, limits, OptionalDouble.empty(), OptionalDouble.empty());
    }

    Answer with(Limits others) {
        return new Answer(plugin, others, predictedNanos, judgedNanos);
    }

    /** Before the names of a database's own policies. */
    static final String OF_DATABASE = "database/";

    /** Whether the policy belongs to the database's own set. */
    public boolean isOfDatabase() {
        return plugin.startsWith(OF_DATABASE);
    }

    /** The policy's name alone. */
    public String policy() {
        return isOfDatabase() ? plugin.substring(OF_DATABASE.length()) : plugin;
    }
}
