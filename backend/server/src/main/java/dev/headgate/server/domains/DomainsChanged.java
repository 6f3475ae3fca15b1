package dev.headgate.server.domains;

import java.time.Instant;

/** The list of domains, or the description or the wire settings of one, has changed. Published on the request's thread, after it is kept. */
public record DomainsChanged(Instant time) {}
