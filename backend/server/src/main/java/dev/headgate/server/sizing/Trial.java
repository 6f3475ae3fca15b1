package dev.headgate.server.sizing;

import io.swagger.v3.oas.annotations.media.Schema;

/**
 * What was measured while a pool had a size.
 *
 * @param size connections
 * @param leases given
 * @param perSecond leases given in a second, but not more than were asked for in it
 * @param refused share of the requests for a lease that got none, 0 to 1
 * @param waitMs mean wait for a lease
 * @param latencyMs mean latency of a request at the database
 * @param p99Ms of the latencies
 * @param responseMs what a caller sees: the mean wait, and how long a lease is held
 * @param ruledOut why the trial was ended early, and the size is not taken; empty if it was not
 */
@Schema(name = "SizeTrial")
record Trial(
        int size,
        long leases,
        double perSecond,
        double refused,
        double waitMs,
        double latencyMs,
        double p99Ms,
        double responseMs,
        String ruledOut) {

    boolean counts() {
        return ruledOut.isEmpty();
    }
}
