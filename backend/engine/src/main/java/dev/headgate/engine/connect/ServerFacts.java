package dev.headgate.engine.connect;

/**
 * What a server said of itself when it was probed.
 *
 * @param version as the server prints it ("18.6")
 * @param maxConnections connections it allows ordinary users: max_connections less the reserved ones
 * @param othersUse of them, how many belonged to someone else at the probe
 */
public record ServerFacts(String version, int maxConnections, int othersUse) {}
