package dev.headgate.engine.meter;

import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.util.List;
import java.util.function.ToLongFunction;

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
        long nanos = total(parts, MergedWindow::nanos);
        double inUseNanos =
                parts.stream().mapToDouble(part -> part.inUse * part.nanos).sum();
        return new MergedWindow(
                nanos,
                HdrLatency.sum(parts.stream().map(MergedWindow::latency).toList()),
                HdrLatency.sum(parts.stream().map(MergedWindow::waits).toList()),
                total(parts, MergedWindow::arrivals),
                total(parts, MergedWindow::leases),
                total(parts, MergedWindow::refused),
                total(parts, MergedWindow::errors),
                nanos == 0 ? parts.getLast().inUse : inUseNanos / nanos,
                parts.stream().mapToInt(MergedWindow::mostWaiting).max().orElse(0),
                parts.getLast().size);
    }

    private static long total(List<MergedWindow> parts, ToLongFunction<MergedWindow> figure) {
        return parts.stream().mapToLong(figure).sum();
    }

    /** This time and the following one. */
    public MergedWindow plus(MergedWindow later) {
        return of(List.of(this, later));
    }

    /** A count of this time, as a rate; 0 if no time has passed. */
    public double perSecond(long count) {
        return nanos == 0 ? 0 : count * 1e9 / nanos;
    }
}
