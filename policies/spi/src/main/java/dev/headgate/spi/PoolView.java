package dev.headgate.spi;

import java.time.Instant;

/**
 * One pool at the instant of a governor step: all that a policy may know. For a policy set that is assigned to a
 * database, the view shows the sum of its domains, and {@code domain} is the database's name.
 *
 * @param domain the pool's domain
 * @param revision the revision of the policy set that is being asked
 * @param time the wall clock
 * @param nanoTime the monotonic clock, nanoseconds from an arbitrary origin
 * @param size connections the pool holds or is just opening, including those that must close when their lease ends
 * @param inUse connections on lease
 * @param idle connections open and free
 * @param waiting requests without a lease
 * @param longestWaitNanos how long the oldest of them has waited; 0 where none waits
 * @param window the last window that ended; an empty one before the first
 * @param lastLimits what was last in force for this pool, after combining all its policies
 * @param database the database and everyone on it
 */
public record PoolView(
        String domain,
        long revision,
        Instant time,
        long nanoTime,
        int size,
        int inUse,
        int idle,
        int waiting,
        long longestWaitNanos,
        Window window,
        Limits lastLimits,
        DatabaseView database) {

    /** What the pool needs at this instant: connections on lease and requests that wait for one. */
    public int demand() {
        return inUse + waiting;
    }
}
