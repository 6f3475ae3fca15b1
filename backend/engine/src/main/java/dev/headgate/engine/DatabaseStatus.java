package dev.headgate.engine;

import dev.headgate.engine.connect.ServerFacts;
import java.time.Instant;
import java.util.Optional;

/**
 * One database at one instant.
 *
 * @param open connections to it, counted at the sockets
 * @param unreachable why it cannot be reached and since when, if so
 * @param facts what the server last said of itself
 */
public record DatabaseStatus(
        String name, int budget, int open, Optional<Unreachable> unreachable, Optional<ServerFacts> facts) {

    /** A failure to connect. */
    public record Unreachable(String reason, Instant since) {}
}
