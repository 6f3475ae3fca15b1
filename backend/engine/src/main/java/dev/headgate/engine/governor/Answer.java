package dev.headgate.engine.governor;

import dev.headgate.spi.Limits;

/**
 * What one policy answered.
 *
 * @param plugin the policy's plugin; for a policy of the database's own set, "database/" and the plugin
 */
public record Answer(String plugin, Limits limits) {}
