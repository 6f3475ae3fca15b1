package dev.headgate.server.policies;

import java.time.Instant;

/** Policy sets were given to an owner or released, without a new revision. Published in the transaction that stores it. */
public record OwnersChanged(Instant time) {}
