package dev.headgate.server.domains;

import java.time.Instant;

/**
 * A domain was made or deleted, or its description, labels or settings changed. Published on the request's thread, after the change is
 * stored.
 *
 * @param domain its name
 */
public record DomainsChanged(Instant time, String domain) {}
