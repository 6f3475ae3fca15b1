package dev.headgate.server.history;

import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.Second;

/**
 * One second, ten seconds, minute or ten minutes of a domain, as the control store keeps it. {@link Sum} rolls periods up; how it
 * does that with each figure stands here:
 *
 * @param start in seconds since the epoch
 * @param micros the measured time: the sum of the windows' lengths. Added
 * @param inUseMillis the time that connections were on lease. Added, so that {@code inUse} is the mean, weighted by time
 * @param size connections at the end; so are {@code floor} and {@code ceiling}, which the budget bounds. The last one stays
 * @param mostWaiting the most requests that waited at the end of any window. The greatest stays
 * @param arrivals requests for a lease; added, as are leases, refused requests and errors
 * @param latency of the requests, as a distribution; merged, as are the waits for a lease. Percentiles are never averaged
 */
record Period(
        long start,
        long micros,
        long inUseMillis,
        int size,
        int floor,
        int ceiling,
        int mostWaiting,
        long arrivals,
        long leases,
        long refused,
        long errors,
        Distribution latency,
        Distribution waits) {

    /** An estimate of the bytes of a period without its distributions, and of a bucket. */
    private static final int BYTES = 200;

    private static final int BUCKET_BYTES = 12;

    /** A second that is over, with what was measured in it. */
    static Period of(Second second, MergedWindow measured) {
        return new Period(
                second.time().getEpochSecond() - 1,
                Math.round((double) measured.nanos() / 1e3),
                Math.round(measured.inUse() * (double) measured.nanos() / 1e6),
                measured.size(),
                (int) second.floor(),
                (int) second.ceiling(),
                measured.mostWaiting(),
                measured.arrivals(),
                measured.leases(),
                measured.refused(),
                measured.errors(),
                Distribution.of(measured.latency()),
                Distribution.of(measured.waits()));
    }

    /** An estimate of its memory. */
    int bytes() {
        return BYTES + BUCKET_BYTES * (latency.size() + waits.size());
    }
}
