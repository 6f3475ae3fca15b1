package dev.headgate.wire;

/**
 * Clients of the wire port that have connected and not logged in.
 *
 * @param present how many there are
 * @param gaveWay how many were ended so far to make room for others
 */
public record ArrivalStatus(int present, long gaveWay) {}
