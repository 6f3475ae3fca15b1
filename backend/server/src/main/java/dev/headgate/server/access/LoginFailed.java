package dev.headgate.server.access;

import java.time.Instant;

/**
 * Someone showed a token or a session that is not valid. Published for the first failure of an address in a minute, on the
 * thread of its request.
 *
 * @param address it came from
 * @param shown "token" or "session"
 */
public record LoginFailed(Instant time, String address, String shown) {}
