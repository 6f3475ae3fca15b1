package dev.headgate.server.databases;

import java.time.Instant;

/** The list of databases, or one of them, has changed. Published on the request's thread, after the change is stored. */
public record DatabasesChanged(Instant time) {}
