package dev.headgate.server.api;

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

    /** {@code count} events in {@code nanos}, per second; 0 if no time has passed. */
    public static double perSecond(long count, long nanos) {
        return nanos <= 0 ? 0 : rate((double) count * 1e9 / (double) nanos);
    }

    /** A rate to two decimals. */
    public static double rate(double perSecond) {
        return Math.rint(perSecond * 100) / 100;
    }
}
