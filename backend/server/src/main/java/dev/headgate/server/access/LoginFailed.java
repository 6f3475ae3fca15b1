package dev.headgate.server.access;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request or a login had an invalid token, session, code or password. Published for the first failure of an address in a minute, on
 * its thread, which may be a loop of the wire port: listeners must not block.
 *
 * @param shown "token", "session", "code", "password" or "wire"
 * @param client whose password it would be, as domain/user; null for the rest
 */
public record LoginFailed(
        Instant time,
        String address,
        String shown,
        @Nullable String client) {}
