package dev.headgate.server.access;

import java.time.Instant;

/**
 * A request had an invalid token or session. Published for the first failure of an address in a minute, on the
 * thread of its request.
 *
 * @param address of the request
 * @param shown "token" or "session"
 */
public record LoginFailed(Instant time, String address, String shown) {}
