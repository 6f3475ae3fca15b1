package dev.headgate.lab.load;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What became of the requests that were due in the measured seconds. Histograms are in nanoseconds and not changed any more.
 *
 * @param latency of the requests that were served, from their scheduled start; an unfinished one counts with its time so far, because
 *     it would have taken at least as long
 * @param refused of the requests that were turned away, from their scheduled start
 * @param lateness by which the generator started requests after their schedule; empty if they have none
 * @param failed the number of requests that failed, with the unfinished and the dropped ones
 * @param unfinished requests that were cut off because the load waited no longer for them
 * @param dropped requests that the generator never started because too many were in flight
 * @param seconds measured
 * @param lastFailure the message of the last failure; null without one
 */
public record LoadResult(
        Histogram latency,
        Histogram refused,
        Histogram lateness,
        long failed,
        long unfinished,
        long dropped,
        double seconds,
        @Nullable String lastFailure) {

    private static final double LATE_SHARE = 0.1;
    static final double LATE_MILLIS = 2;

    public long done() {
        return latency.getTotalCount() - unfinished;
    }

    /** Requests served per second. */
    public double perSecond() {
        return done() / seconds;
    }

    /** 0 without a request in {@link #latency}. */
    public double meanMs() {
        return latency.getTotalCount() == 0 ? 0 : latency.getMean() / 1e6;
    }

    /** 0 without a request in {@link #latency}. */
    public double percentileMs(double percentile) {
        return latency.getTotalCount() == 0 ? 0 : latency.getValueAtPercentile(percentile) / 1e6;
    }

    /**
     * The same of all requests that were not turned away, of which one that failed counts as one that took for ever: infinite if more
     * failed than the percentile leaves out, and without any request.
     */
    public double percentileOfAllMs(double percentile) {
        long timed = latency.getTotalCount();
        if (failed == unfinished && timed > 0) {
            return percentileMs(percentile);
        }
        double within = percentile * (timed + failed - unfinished);
        return timed == 0 || within > 100.0 * timed
                ? Double.POSITIVE_INFINITY
                : latency.getValueAtPercentile(within / timed) / 1e6;
    }

    /** Turned away, of all that ended. */
    public double refusedShare() {
        long all = done() + refused.getTotalCount() + failed;
        return all == 0 ? 0 : (double) refused.getTotalCount() / all;
    }

    /** The same, of a load whose requests are due when they are sent: they have no schedule. */
    LoadResult withoutSchedule() {
        return new LoadResult(latency, refused, new Histogram(3), failed, unfinished, dropped, seconds, lastFailure);
    }

    /** Whether requests were due at times that the generator could miss. */
    public boolean hasSchedule() {
        return lateness.getTotalCount() > 0;
    }

    /**
     * Whether the generator itself limited the load: it started one request in ten later than {@value #LATE_MILLIS} ms after its
     * schedule. The latencies include that lateness.
     */
    public boolean generatorWasBottleneck() {
        return latenessMs() > LATE_MILLIS;
    }

    /** Nine of ten requests were started at most so long after their schedule; 0 without a schedule. */
    public double latenessMs() {
        return hasSchedule() ? lateness.getValueAtPercentile(100 * (1 - LATE_SHARE)) / 1e6 : 0;
    }
}
