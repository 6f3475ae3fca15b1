package dev.headgate.server.sizing;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What rules a size out while it is tried: a caller waits too long, requests are refused or fail although they did not before, or their
 * latency is too long.
 *
 * @param mostP99Ms null if latency rules nothing out
 * @param mayRefuse whether refusals rule nothing out, because there were some with the size in force
 * @param mostErrors the share of requests that may fail
 */
record TrialBounds(long mostWaitNanos, @Nullable Integer mostP99Ms, boolean mayRefuse, double mostErrors) {

    /** With fewer requests nothing can be told. */
    static final int LEAST = 20;

    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double MORE_ERRORS = 0.01;

    /**
     * Bounds that the size in force keeps, except where somebody has asked for stricter ones.
     *
     * @param before measured with the size in force
     * @param longestWaitNanos of a caller meanwhile
     */
    static TrialBounds of(SizeSearchRequest request, TrialMeter.Sums before, long longestWaitNanos) {
        long mostWaitNanos = request.mostWaitMs() == null
                ? Math.max(MOST_WAIT_NANOS, 2 * longestWaitNanos)
                : TimeUnit.MILLISECONDS.toNanos(request.mostWaitMs());
        return new TrialBounds(
                mostWaitNanos, request.mostP99Ms(), before.all().refused() > 0, before.errorShare() + MORE_ERRORS);
    }

    /** Why the size is ruled out, for a sentence; empty if it is not. */
    Optional<String> exceeded(long longestWaitNanos, TrialMeter.Sums sums) {
        if (longestWaitNanos > mostWaitNanos) {
            return said("a caller waited %d ms", TimeUnit.NANOSECONDS.toMillis(longestWaitNanos));
        }
        if (!mayRefuse && sums.all().refused() > 0) {
            return said("%d requests were refused", sums.all().refused());
        }
        long requests = sums.all().latency().count();
        if (requests < LEAST) {
            return Optional.empty();
        }
        if (sums.errorShare() > mostErrors) {
            return said("%.1f %% of the requests failed", 100 * sums.errorShare());
        }
        double p99Ms = sums.all().latency().percentileNanos(99) / 1e6;
        return mostP99Ms != null && p99Ms > mostP99Ms ? said("the p99 was %.1f ms", p99Ms) : Optional.empty();
    }

    private static Optional<String> said(String format, Object figure) {
        return Optional.of(String.format(Locale.ROOT, format, figure));
    }
}
