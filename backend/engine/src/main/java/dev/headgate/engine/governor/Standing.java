package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.spi.Limits;
import java.util.Optional;

/**
 * What a step leaves in force for one domain. The next step begins with it. Immutable and published whole, so that a reader
 * on any thread sees the outcome of one step and never parts of two.
 *
 * @param bounds floor, ceiling, and the permits that the step gave
 * @param lent connections beyond the guarantee that are owed to siblings without need of them
 * @param budget of the database; 0 before the first step
 * @param degraded which policy fails, and what is in force instead of its answer, if one does
 * @param binding the policy that gives the ceiling, or holds the pool back
 * @param limitedBy what keeps the pool from growing, or would, if its callers needed more
 * @param wantedMore whether requests wait that will get no more connections for now
 * @param unreachable whether the last attempt to connect had failed at the end of the last window
 */
record Standing(
        Limits limits,
        Bounds bounds,
        int guaranteed,
        int lent,
        int budget,
        Optional<String> degraded,
        Optional<Answer> binding,
        PoolStatus.Limit limitedBy,
        boolean wantedMore,
        boolean unreachable,
        AlarmBoard alarms) {

    /** Before the first step. */
    static final Standing NONE = new Standing(
            Limits.unbounded(),
            new Bounds(0, 0, 0),
            0,
            0,
            0,
            Optional.empty(),
            Optional.empty(),
            PoolStatus.Limit.NONE,
            false,
            false,
            AlarmBoard.CLEAR);
}
