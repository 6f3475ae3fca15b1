package dev.headgate.server.policies;

import java.time.Instant;

/** Policy sets were given to an owner or released, without a new revision. Published after it is kept. */
public record OwnersChanged(Instant time) {}
