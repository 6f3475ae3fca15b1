package dev.headgate.server.api;

import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.spi.Latency;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What one second of a domain was, for the history, the stream and the charts. Every figure is one of a {@link MergedWindow}, as
 * those of the metrics are; none is worked out from a figure.
 *
 * @param time the end of the second
 * @param inUse connections on lease, averaged over the second
 * @param size connections at its end; so are {@code floor} and {@code ceiling}, which the budget bounds
 * @param waiting the most requests that waited at the end of any window
 * @param p50Ms null, as are the other latency figures, where no request ended
 * @param waitP99Ms null where no lease was given
 * @param perSecond null, as are the other rates, where nothing was measured
 * @param leasesPerSecond leases given, the counterpart of the refused requests for one
 */
@Schema(name = "Second")
public record Second(
        Instant time,
        double inUse,
        double size,
        double waiting,
        double floor,
        double ceiling,
        @Nullable Double p50Ms,
        @Nullable Double p95Ms,
        @Nullable Double p99Ms,
        @Nullable Double meanMs,
        @Nullable Double waitP99Ms,
        @Nullable Double perSecond,
        @Nullable Double errorsPerSecond,
        @Nullable Double refusedPerSecond,
        @Nullable Double leasesPerSecond) {

    /** The second that ends then, or a longer time that is told as one. */
    public static Second of(Instant end, MergedWindow measured, int floor, int ceiling) {
        Latency latency = measured.latency();
        return new Second(
                end,
                measured.inUse(),
                measured.size(),
                measured.mostWaiting(),
                floor,
                ceiling,
                Millis.percentile(latency, 50),
                Millis.percentile(latency, 95),
                Millis.percentile(latency, 99),
                Millis.mean(latency),
                Millis.percentile(measured.waits(), 99),
                rate(measured, latency.count()),
                rate(measured, measured.errors()),
                rate(measured, measured.refused()),
                rate(measured, measured.leases()));
    }

    private static @Nullable Double rate(MergedWindow measured, long count) {
        return measured.nanos() == 0 ? null : (Double) Millis.rate(measured.perSecond(count));
    }
}
