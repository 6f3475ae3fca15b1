package dev.headgate.spi;

import java.util.List;

/**
 * What was measured on one pool over one interval, 100 ms at the base.
 *
 * @param startNanos when it began, on the clock of {@link PoolView#nanoTime()}
 * @param lengthNanos how long it really was
 * @param latency of the requests that ended in it, each from its first byte written to the server's ReadyForQuery, over
 *     all connections
 * @param waits of the leases given in it, each from its arrival to its lease; those that did not wait count as 0
 * @param arrivals requests for a lease that came
 * @param leases leases given
 * @param refused requests that were failed, rejected or timed out
 * @param errors requests that the server answered with an error
 * @param meanActive connections with a request under way, averaged over the window (by Little's law: the requests' time
 *     divided by the window's)
 * @param meanInUse connections on lease, averaged over the window: the time of the leases, from their first requests to their
 *     returns, divided by the window's. A lease without a request yet counts for all of it if it lasts at the window's end, else
 *     not
 * @param size connections the pool held at its end
 * @param waiting requests that waited at its end
 * @param connections the same per physical connection
 */
public record Window(
        long startNanos,
        long lengthNanos,
        Latency latency,
        Latency waits,
        long arrivals,
        long leases,
        long refused,
        long errors,
        double meanActive,
        double meanInUse,
        int size,
        int waiting,
        List<ConnectionWindow> connections) {

    public Window {
        connections = List.copyOf(connections);
    }

    /**
     * One physical connection over the window.
     *
     * @param id stable for the connection's life ("bank-31")
     * @param bytesIn bytes read from the server
     * @param bytesOut bytes written to it
     */
    public record ConnectionWindow(String id, Latency latency, long errors, long bytesIn, long bytesOut) {}
}
