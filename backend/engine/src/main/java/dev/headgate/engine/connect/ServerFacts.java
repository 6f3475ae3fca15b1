package dev.headgate.engine.connect;

/**
 * A server's facts about itself at its last probe.
 *
 * @param version as the server prints it ("18.6")
 * @param maxConnections connections that ordinary users may have: max_connections minus the reserved ones
 * @param othersUse how many of them belonged to others at the probe
 */
public record ServerFacts(String version, int maxConnections, int othersUse) {}
