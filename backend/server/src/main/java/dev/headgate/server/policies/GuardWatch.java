package dev.headgate.server.policies;

import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what is measured under a revision on probation, and says when it has failed. All times are the windows' own, so it
 * behaves the same in a test and in service.
 *
 * <p>What counts is what was measured over the last 2 s, or as far back as it takes to see {@value #LEAST} requests and arrivals,
 * but never from before the change. No verdict is given in the first 2 s, in which connections are opened and closed, nor on
 * fewer than {@value #LEAST} samples. It looks twice a second.
 *
 * <p>For the windows of one pool, or of all pools of one database. Not safe for use by several threads at a time.
 */
final class GuardWatch {

    static final Duration SPAN = Duration.ofSeconds(2);
    static final int LEAST = 20;
    private static final Duration PACE = Duration.ofMillis(500);

    private record Sample(Instant end, Latency latency, Latency waits, long arrivals, long refused, long errors) {}

    private final GuardBounds bounds;
    private final Instant armedAt;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long requests;
    private long arrivals;
    private long refused;
    private long errors;
    private Instant nextLook;

    GuardWatch(GuardBounds bounds, Instant armedAt) {
        this.bounds = bounds;
        this.armedAt = armedAt;
        this.nextLook = armedAt.plus(SPAN);
    }

    /**
     * Takes a window in.
     *
     * @param end its end on the wall clock
     * @return why the revision has failed, as a sentence with figures; empty as long as it has not
     */
    Optional<String> add(Instant end, Window window) {
        if (end.minusNanos(window.lengthNanos()).isBefore(armedAt)) {
            return Optional.empty();
        }
        if (window.latency().count() + window.arrivals() + window.refused() + window.errors() > 0) {
            count(
                    new Sample(
                            end,
                            window.latency(),
                            window.waits(),
                            window.arrivals(),
                            window.refused(),
                            window.errors()),
                    1);
        }
        if (end.isBefore(nextLook)) {
            return Optional.empty();
        }
        nextLook = end.plus(PACE);
        forget(end.minus(SPAN));
        return Optional.ofNullable(verdict(end));
    }

    /** Drops what is older, as long as enough is left. */
    private void forget(Instant before) {
        for (Sample oldest = samples.peek();
                oldest != null
                        && !oldest.end().isAfter(before)
                        && requests - oldest.latency().count() >= LEAST
                        && arrivals - oldest.arrivals() >= LEAST;
                oldest = samples.peek()) {
            samples.remove();
            count(oldest, -1);
        }
    }

    private void count(Sample sample, int sign) {
        if (sign > 0) {
            samples.add(sample);
        }
        requests += sign * sample.latency().count();
        arrivals += sign * sample.arrivals();
        refused += sign * sample.refused();
        errors += sign * sample.errors();
    }

    private @Nullable String verdict(Instant now) {
        Sample oldest = samples.peek();
        if (oldest == null) {
            return null;
        }
        double seconds = Math.max(
                SPAN.toMillis() / 1e3, Duration.between(oldest.end(), now).toMillis() / 1e3);
        long came = Math.max(arrivals, refused);
        @Nullable Double errorRate = bounds.errorRate();
        if (errorRate != null && requests >= LEAST && errors > errorRate * requests) {
            return String.format(
                    Locale.ROOT,
                    "%d of %d requests failed in the last %.1f s (%s), above the bound of %s",
                    errors,
                    requests,
                    seconds,
                    percent(errors, requests),
                    percent(errorRate));
        }
        @Nullable Double refusedRate = bounds.refusedRate();
        if (refusedRate != null && came >= LEAST && refused > refusedRate * came) {
            return String.format(
                    Locale.ROOT,
                    "%d of %d requests for a connection were refused in the last %.1f s (%s), above the bound of %s",
                    refused,
                    came,
                    seconds,
                    percent(refused, came),
                    percent(refusedRate));
        }
        @Nullable Double p99 = bounds.p99Ms();
        if (p99 != null && requests >= LEAST) {
            double measured = p99Ms(
                    samples.stream().map(Sample::latency).reduce(Latency::plus).orElseThrow());
            if (measured > p99) {
                return String.format(
                        Locale.ROOT,
                        "The p99 of %d requests in the last %.1f s was %.1f ms, above the bound of %s ms",
                        requests,
                        seconds,
                        measured,
                        plain(p99));
            }
        }
        @Nullable Double waitP99 = bounds.waitP99Ms();
        if (waitP99 != null) {
            Latency waits =
                    samples.stream().map(Sample::waits).reduce(Latency::plus).orElseThrow();
            if (waits.count() >= LEAST && p99Ms(waits) > waitP99) {
                return String.format(
                        Locale.ROOT,
                        "The p99 of %d waits in the last %.1f s was %.1f ms, above the bound of %s ms",
                        waits.count(),
                        seconds,
                        p99Ms(waits),
                        plain(waitP99));
            }
        }
        return null;
    }

    private static double p99Ms(Latency latency) {
        return latency.percentileNanos(99) / 1e6;
    }

    private static String percent(long part, long whole) {
        return percent((double) part / whole);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f%%", share * 100);
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }
}
