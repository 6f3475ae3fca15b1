package dev.headgate.engine;

import java.time.Instant;

/**
 * Requests of one caller that got no lease, for one reason, within the last ten minutes.
 *
 * @param who its address is without the port; callers beyond what is remembered are one, with the holder "others"
 * @param policy the plugin of the policy that bound the pool; empty if none did
 * @param reason what that policy said last; may be empty
 * @param first since it was turned away without a pause of ten minutes
 */
public record TurnedAway(
        Who who, LeaseException.Cause why, String policy, String reason, long count, Instant first, Instant last) {}
