package dev.headgate.server.api;

import dev.headgate.spi.Latency;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How the API writes figures: nanoseconds become milliseconds with three decimals, rates have two. */
public final class Millis {

    private Millis() {}

    /** A measured duration, to the microsecond. */
    public static double of(long nanos) {
        return of((double) nanos);
    }

    /** A measured duration, to the microsecond. */
    public static double of(double nanos) {
        return Math.rint(nanos / 1e3) / 1e3;
    }

    /** A duration in whole milliseconds, such as an age or the length of a window. */
    public static long whole(long nanos) {
        return Math.round(of(nanos));
    }

    /** A timeout in whole milliseconds; null if {@code nanos} is {@link Long#MAX_VALUE}, which means none. */
    public static @Nullable Long timeout(long nanos) {
        return nanos == Long.MAX_VALUE ? null : (Long) TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** Null where nothing was measured. */
    static @Nullable Double percentile(Latency of, double percentile) {
        return of.count() == 0 ? null : (Double) of(of.percentileNanos(percentile));
    }

    /** Null where nothing was measured. */
    static @Nullable Double mean(Latency of) {
        return of.count() == 0 ? null : (Double) of(of.meanNanos());
    }

    /** Null where nothing was measured. */
    static @Nullable Double least(Latency of) {
        return of.count() == 0 ? null : (Double) of(of.minNanos());
    }

    /** Null where nothing was measured. */
    static @Nullable Double greatest(Latency of) {
        return of.count() == 0 ? null : (Double) of(of.maxNanos());
    }

    /** A rate to two decimals. */
    public static double rate(double perSecond) {
        return Math.rint(perSecond * 100) / 100;
    }
}
