package dev.headgate.server.domains;

import java.time.Instant;

/** The list of domains changed, or the description, labels or settings of one. Published on the request's thread, after the change is stored. */
public record DomainsChanged(Instant time) {}
