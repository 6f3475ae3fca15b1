package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.util.List;

/**
 * What was measured of one pool in one or more consecutive windows: a second, ten of them, or the time between two frames of a stream.
 * Everything that tells of such a time tells of one of these. Distributions are merged and never averaged, so that the 99th
 * percentile of ten windows is that of all their requests. Immutable.
 *
 * @param nanos the measured time: the sum of the windows' lengths
 * @param latency of the requests that ended
 * @param waits of the leases that were given
 * @param arrivals requests for a lease
 * @param leases given
 * @param refused requests that got no lease
 * @param errors requests that the server answered with an error
 * @param inUse connections on lease, averaged over the time
 * @param mostWaiting the most requests that waited at the end of any window
 * @param size connections at the end
 */
public record MergedWindow(
        long nanos,
        Latency latency,
        Latency waits,
        long arrivals,
        long leases,
        long refused,
        long errors,
        double inUse,
        int mostWaiting,
        int size) {

    /** No time at all. */
    public static final MergedWindow NONE =
            new MergedWindow(0, HdrLatency.none(), HdrLatency.none(), 0, 0, 0, 0, 0, 0, 0);

    public static MergedWindow of(Window window) {
        return new MergedWindow(
                window.lengthNanos(),
                window.latency(),
                window.waits(),
                window.arrivals(),
                window.leases(),
                window.refused(),
                window.errors(),
                window.meanInUse(),
                window.waiting(),
                window.size());
    }

    /** All of them, oldest first. {@link #NONE} if there are none. */
    public static MergedWindow of(List<MergedWindow> parts) {
        if (parts.size() < 2) {
            return parts.isEmpty() ? NONE : parts.getFirst();
        }
        long nanos = 0;
        long arrivals = 0;
        long leases = 0;
        long refused = 0;
        long errors = 0;
        double inUseNanos = 0;
        int mostWaiting = 0;
        for (MergedWindow part : parts) {
            nanos += part.nanos;
            arrivals += part.arrivals;
            leases += part.leases;
            refused += part.refused;
            errors += part.errors;
            inUseNanos += part.inUse * part.nanos;
            mostWaiting = Math.max(mostWaiting, part.mostWaiting);
        }
        return new MergedWindow(
                nanos,
                HdrLatency.sum(parts, MergedWindow::latency),
                HdrLatency.sum(parts, MergedWindow::waits),
                arrivals,
                leases,
                refused,
                errors,
                nanos == 0 ? parts.getLast().inUse : inUseNanos / nanos,
                mostWaiting,
                parts.getLast().size);
    }

    /** This time and the following one. */
    public MergedWindow plus(MergedWindow later) {
        return of(List.of(this, later));
    }

    /** A count of this time, as a rate; 0 if no time has passed. */
    public double perSecond(long count) {
        return perSecond(count, nanos);
    }

    /** A count of so much time, as a rate; 0 if no time has passed. */
    public static double perSecond(long count, long nanos) {
        return nanos == 0 ? 0 : count * 1e9 / nanos;
    }
}
