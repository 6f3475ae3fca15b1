package dev.headgate.wire;

/**
 * Clients of the wire port that have connected and not logged in.
 *
 * @param present how many there are
 * @param gaveWay how many were ended so far to make room for others
 * @param refused how many were not taken so far, because their address had all the places that one may have
 */
public record ArrivalStatus(int present, long gaveWay, long refused) {}
