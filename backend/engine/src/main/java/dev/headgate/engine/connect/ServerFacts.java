package dev.headgate.engine.connect;

import java.time.Instant;

/**
 * A server's facts about itself at its last probe.
 *
 * @param version as the server prints it ("18.6")
 * @param maxConnections connections that ordinary users may have: max_connections minus the reserved ones
 * @param othersUse how many of them belonged to others at the probe
 * @param server which server it was
 */
public record ServerFacts(String version, int maxConnections, int othersUse, Server server) {

    /**
     * What tells a server from another one, and from itself before a restart.
     *
     * @param address its own, with the port, as it sees it; empty if it sees none
     * @param startedAt when its postmaster started
     * @param standby whether it is in recovery
     */
    public record Server(String address, Instant startedAt, boolean standby) {}

    /** The major version: 18 of "18.6" and of "18beta1". */
    public int majorVersion() {
        int digits = 0;
        while (digits < version.length() && Character.isDigit(version.charAt(digits))) {
            digits++;
        }
        return digits == 0 ? 0 : Integer.parseInt(version.substring(0, digits));
    }
}
