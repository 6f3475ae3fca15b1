package dev.headgate.engine.meter;

import java.time.Instant;

/**
 * A connection that was closed.
 *
 * @param last its figures at its end
 */
public record ClosedConnection(ConnectionStatus last, Instant closed, Ending why) {}
