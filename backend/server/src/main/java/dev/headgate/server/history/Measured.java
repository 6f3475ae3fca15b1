package dev.headgate.server.history;

import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Millis;
import dev.headgate.server.api.SampleJson;
import dev.headgate.server.api.Second;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one pool over one or more consecutive windows. Immutable. Distributions are merged, never averaged,
 * so that the 99th percentile of ten windows is that of all their requests.
 *
 * @param end when the last window ended
 * @param nanos the measured time: the sum of the windows' lengths
 * @param inUse connections on lease, averaged over the time
 * @param mostWaiting the most requests that waited at the end of any window
 * @param size connections at the end
 */
public record Measured(
        Instant end,
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

    public static Measured of(Instant end, Window window) {
        return new Measured(
                end,
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

    /** This period and the following one. */
    public Measured plus(Measured later) {
        long both = nanos + later.nanos;
        return new Measured(
                later.end,
                both,
                latency.plus(later.latency),
                waits.plus(later.waits),
                arrivals + later.arrivals,
                leases + later.leases,
                refused + later.refused,
                errors + later.errors,
                both == 0 ? later.inUse : (inUse * (double) nanos + later.inUse * (double) later.nanos) / (double) both,
                Math.max(mostWaiting, later.mostWaiting),
                later.size);
    }

    Measured endingAt(Instant other) {
        return new Measured(other, nanos, latency, waits, arrivals, leases, refused, errors, inUse, mostWaiting, size);
    }

    public SampleJson toSample() {
        return SampleJson.of(nanos, latency, waits, errors, refused, arrivals);
    }

    /**
     * This period as a second.
     *
     * @param status of the pool at the second's end
     */
    Second toSecond(Instant secondEnd, PoolStatus status) {
        return toSecond(
                secondEnd, Math.min(status.floor(), status.budget()), Math.min(status.ceiling(), status.budget()));
    }

    Second toSecond(Instant secondEnd, int floor, int ceiling) {
        return new Second(
                secondEnd,
                inUse,
                size,
                mostWaiting,
                floor,
                ceiling,
                percentile(latency, 50),
                percentile(latency, 95),
                percentile(latency, 99),
                latency.count() == 0 ? null : (Double) Millis.of(latency.meanNanos()),
                percentile(waits, 99),
                rate(latency.count()),
                rate(errors),
                rate(refused),
                rate(leases));
    }

    /** This period as the total of a range. */
    HistoryJson.Total toTotal(Instant from, Instant to) {
        boolean some = latency.count() > 0;
        return new HistoryJson.Total(
                from,
                to,
                Millis.whole(nanos),
                latency.count(),
                errors,
                refused,
                arrivals,
                Millis.rate(inUse),
                mostWaiting,
                some ? (Double) Millis.of(latency.meanNanos()) : null,
                some ? (Double) Millis.of(latency.minNanos()) : null,
                percentile(latency, 50),
                percentile(latency, 95),
                percentile(latency, 99),
                some ? (Double) Millis.of(latency.maxNanos()) : null,
                percentile(waits, 50),
                percentile(waits, 99),
                waits.count() == 0 ? null : (Double) Millis.of(waits.maxNanos()),
                rate(latency.count()));
    }

    private static @Nullable Double percentile(Latency of, double percent) {
        return of.count() == 0 ? null : (Double) Millis.of(of.percentileNanos(percent));
    }

    private @Nullable Double rate(long count) {
        return nanos == 0 ? null : (Double) Millis.perSecond(count, nanos);
    }
}
