package dev.headgate.server.databases;

import java.time.Instant;

/**
 * A database was added, changed or removed. Published on the request's thread, after the change is stored.
 *
 * @param database its name
 */
public record DatabasesChanged(Instant time, String database) {}
