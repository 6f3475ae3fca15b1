package dev.headgate.policy.latencycap;

import dev.headgate.spi.PoolView;

/**
 * What is asked of the pool at one step of the governor.
 *
 * @param waiting requests that wait for a connection
 * @param granted whether the pool has all that it is allowed
 * @param more whether more connections would be used at once: someone waits or was turned away, or every connection is on lease
 */
record Demand(int waiting, boolean granted, boolean more) {

    static Demand of(PoolView pool, int ceiling) {
        boolean more = pool.waiting() > 0 || pool.window().refused() > 0 || pool.inUse() >= pool.size();
        return new Demand(pool.waiting(), pool.size() >= ceiling, more);
    }
}
