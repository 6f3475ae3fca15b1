package dev.headgate.server.guards;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The recent measurements under a revision on probation, and their sums. */
final class GuardSamples {

    /** @param timedOut those of the refused ones that waited and timed out */
    private record Sample(
            Instant end, Latency latency, Latency waits, long arrivals, long refused, long timedOut, long errors) {

        boolean isEmpty() {
            return latency.count() + waits.count() + arrivals + refused + timedOut + errors == 0;
        }
    }

    /**
     * Sums of samples.
     *
     * @param requests that ended
     * @param arrivals requests for a lease that came
     * @param refused those of them that failed, were rejected or timed out
     * @param waits that ended, with a lease or by a time-out
     * @param timedOut those of them that timed out
     * @param errors requests that the server answered with an error
     */
    record Sums(long requests, long arrivals, long refused, long waits, long timedOut, long errors) {

        static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0);

        private Sums plus(Sample sample, int sign) {
            return new Sums(
                    requests + sign * sample.latency().count(),
                    arrivals + sign * sample.arrivals(),
                    refused + sign * sample.refused(),
                    waits + sign * (sample.waits().count() + sample.timedOut()),
                    timedOut + sign * sample.timedOut(),
                    errors + sign * sample.errors());
        }
    }

    private final Deque<Sample> samples = new ArrayDeque<>();
    private Sums sums = Sums.NONE;

    /** @param timedOut requests that timed out in the window */
    void add(Instant end, Window window, long timedOut) {
        Sample sample = new Sample(
                end, window.latency(), window.waits(), window.arrivals(), window.refused(), timedOut, window.errors());
        if (!sample.isEmpty()) {
            samples.add(sample);
            sums = sums.plus(sample, 1);
        }
    }

    /** Drops samples that ended by then, as long as enough are left. */
    void forget(Instant before, Predicate<Sums> isEnough) {
        for (Sample oldest = samples.peek();
                oldest != null && !oldest.end().isAfter(before) && isEnough.test(sums.plus(oldest, -1));
                oldest = samples.peek()) {
            samples.remove();
            sums = sums.plus(oldest, -1);
        }
    }

    Sums sums() {
        return sums;
    }

    /** When the oldest sample ended; empty if there is none. */
    Optional<Instant> begin() {
        @Nullable Sample oldest = samples.peek();
        return Optional.ofNullable(oldest).map(Sample::end);
    }

    /** The latency of all requests that ended. Requires at least one. */
    Latency latency() {
        return samples.stream().map(Sample::latency).reduce(Latency::plus).orElseThrow();
    }

    /** The waits that ended with a lease. The caller owns the histogram. */
    Histogram waits() {
        Histogram waits = HdrLatency.newSum();
        samples.forEach(sample -> HdrLatency.addTo(waits, sample.waits()));
        return waits;
    }
}
