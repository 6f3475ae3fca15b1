package dev.headgate.server.guards;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what is measured under a revision on probation, and says when it has failed. All times are the windows' own, so it
 * behaves the same in a test and in service.
 *
 * <p>What counts is what was measured over the last 2 s, or as far back as it takes to see {@value #LEAST} samples for every
 * bound, but never from before the change. No verdict is given in the first 2 s, in which connections are opened and closed,
 * nor on fewer than {@value #LEAST} samples. It looks twice a second.
 *
 * <p>The worst set is the one under which hardly anything ends, so waits are not judged by the leases given alone. A request
 * that still waits counts as soon as it has waited longer than the bound. One that timed out has waited in vain, and counts as
 * longer than any bound. One that was failed or rejected at once has not waited; the share refused is a bound of its own. A
 * bound that could not be judged by the end of the probation is named ({@link #unjudged}).
 *
 * <p>For the windows of one pool, or of all pools of one database. Not safe for use by several threads at a time.
 */
final class GuardWatch {

    static final Duration SPAN = Duration.ofSeconds(2);
    static final int LEAST = 20;
    private static final Duration PACE = Duration.ofMillis(500);

    /** @param timedOut of those refused, the ones that waited in vain */
    private record Sample(
            Instant end, Latency latency, Latency waits, long arrivals, long refused, long timedOut, long errors) {

        boolean isEmpty() {
            return latency.count() + waits.count() + arrivals + refused + timedOut + errors == 0;
        }

        long waited() {
            return waits.count() + timedOut;
        }
    }

    /** One of the pools that are looked at. */
    private static final class Watched {
        final StillWaiting waiting = new StillWaiting();
        long timedOut;
    }

    private final GuardBounds bounds;
    private final Instant armedAt;
    private final Map<String, Watched> pools = new HashMap<>();
    private final Deque<Sample> samples = new ArrayDeque<>();
    private final Set<String> judged = new HashSet<>();
    private long requests;
    private long arrivals;
    private long refused;
    private long waited;
    private long timedOut;
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
     * @param domain whose pool it is of
     * @param end its end on the wall clock
     * @param timedOutTotal requests that have timed out at that pool so far
     * @return why the revision has failed, as a sentence with figures; empty as long as it has not
     */
    Optional<String> add(String domain, Instant end, Window window, long timedOutTotal) {
        @Nullable Watched known = pools.get(domain);
        Watched pool = known == null ? new Watched() : known;
        long timedOutNow = known == null ? 0 : Math.max(0, timedOutTotal - known.timedOut);
        pool.timedOut = timedOutTotal;
        pools.put(domain, pool);
        if (end.minusNanos(window.lengthNanos()).isBefore(armedAt)) {
            return Optional.empty();
        }
        pool.waiting.add(end, window);
        Sample sample = new Sample(
                end,
                window.latency(),
                window.waits(),
                window.arrivals(),
                window.refused(),
                timedOutNow,
                window.errors());
        if (!sample.isEmpty()) {
            samples.add(sample);
            count(sample, 1);
        }
        if (end.isBefore(nextLook)) {
            return Optional.empty();
        }
        nextLook = end.plus(PACE);
        forget(end.minus(SPAN));
        return Optional.ofNullable(verdict(end));
    }

    /** Which bounds have not been judged, and for want of what, as a sentence; empty where all were. */
    Optional<String> unjudged() {
        List<String> missing = new ArrayList<>();
        String ended = requests + " requests ended";
        int waiting =
                pools.values().stream().mapToInt(pool -> pool.waiting.count()).sum();
        noteUnjudged(missing, "errorRate", bounds.errorRate(), ended);
        noteUnjudged(missing, "refusedRate", bounds.refusedRate(), arrivals + " requests for a connection came");
        noteUnjudged(missing, "p99Ms", bounds.p99Ms(), ended);
        noteUnjudged(missing, "waitP99Ms", bounds.waitP99Ms(), waited + " waits ended, " + waiting + " go on");
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of("Not judged: %s; it takes %d to judge by".formatted(String.join(", ", missing), LEAST));
    }

    private void noteUnjudged(List<String> missing, String name, @Nullable Double bound, String seen) {
        if (bound != null && !judged.contains(name)) {
            missing.add("%s (%s)".formatted(name, seen));
        }
    }

    /** Drops what is older, as long as enough is left for every bound. */
    private void forget(Instant before) {
        for (Sample oldest = samples.peek();
                oldest != null && !oldest.end().isAfter(before) && isEnoughWithout(oldest);
                oldest = samples.peek()) {
            samples.remove();
            count(oldest, -1);
        }
    }

    private boolean isEnoughWithout(Sample oldest) {
        boolean needsRequests = bounds.p99Ms() != null || bounds.errorRate() != null;
        return (!needsRequests || requests - oldest.latency().count() >= LEAST)
                && (bounds.refusedRate() == null || arrivals - oldest.arrivals() >= LEAST)
                && (bounds.waitP99Ms() == null || waited - oldest.waited() >= LEAST);
    }

    private void count(Sample sample, int sign) {
        requests += sign * sample.latency().count();
        arrivals += sign * sample.arrivals();
        refused += sign * sample.refused();
        waited += sign * sample.waited();
        timedOut += sign * sample.timedOut();
        errors += sign * sample.errors();
    }

    private @Nullable String verdict(Instant now) {
        @Nullable Sample oldest = samples.peek();
        Duration seen = oldest == null ? SPAN : Duration.between(oldest.end(), now);
        double seconds = Math.max(SPAN.toMillis(), seen.toMillis()) / 1e3;
        @Nullable String failed = byErrors(seconds);
        failed = failed == null ? byRefusals(seconds) : failed;
        failed = failed == null ? byLatency(seconds) : failed;
        return failed == null ? byWaits(seconds, now) : failed;
    }

    private @Nullable String byErrors(double seconds) {
        @Nullable Double bound = bounds.errorRate();
        if (bound == null || requests < LEAST) {
            return null;
        }
        judged.add("errorRate");
        return errors <= bound * requests
                ? null
                : String.format(
                        Locale.ROOT,
                        "%d of %d requests failed in the last %.1f s (%s), above the bound of %s",
                        errors,
                        requests,
                        seconds,
                        percent(errors, requests),
                        percent(bound));
    }

    private @Nullable String byRefusals(double seconds) {
        @Nullable Double bound = bounds.refusedRate();
        long came = Math.max(arrivals, refused);
        if (bound == null || came < LEAST) {
            return null;
        }
        judged.add("refusedRate");
        return refused <= bound * came
                ? null
                : String.format(
                        Locale.ROOT,
                        "%d of %d requests for a connection were refused in the last %.1f s (%s), above the bound of %s",
                        refused,
                        came,
                        seconds,
                        percent(refused, came),
                        percent(bound));
    }

    private @Nullable String byLatency(double seconds) {
        @Nullable Double bound = bounds.p99Ms();
        if (bound == null || requests < LEAST) {
            return null;
        }
        judged.add("p99Ms");
        double measured = p99Ms(
                samples.stream().map(Sample::latency).reduce(Latency::plus).orElseThrow());
        return measured <= bound
                ? null
                : String.format(
                        Locale.ROOT,
                        "The p99 of %d requests in the last %.1f s was %.1f ms, above the bound of %s ms",
                        requests,
                        seconds,
                        measured,
                        plain(bound));
    }

    private @Nullable String byWaits(double seconds, Instant now) {
        @Nullable Double bound = bounds.waitP99Ms();
        if (bound == null) {
            return null;
        }
        Histogram waits = HdrLatency.newSum();
        samples.forEach(sample -> HdrLatency.addTo(waits, sample.waits()));
        long served = waits.getTotalCount();
        pools.values().forEach(pool -> pool.waiting.addTo(waits, now, (long) (bound * 1e6)));
        long known = waits.getTotalCount();
        long all = known + timedOut;
        if (all < LEAST) {
            return null;
        }
        judged.add("waitP99Ms");
        if (timedOut > 0.01 * all) {
            return String.format(
                    Locale.ROOT,
                    "%d of %d requests for a connection timed out in the last %.1f s (%s): the p99 of the waits is above"
                            + " the bound of %s ms",
                    timedOut,
                    all,
                    seconds,
                    percent(timedOut, all),
                    plain(bound));
        }
        // who timed out is the greatest of all: the p99 of all is a little further up among the others
        double measured = HdrLatency.of(waits).percentileNanos(Math.min(100, 99.0 * all / known)) / 1e6;
        return measured <= bound
                ? null
                : String.format(
                        Locale.ROOT,
                        "The p99 of %d waits in the last %.1f s was %.1f ms%s, above the bound of %s ms",
                        all,
                        seconds,
                        measured,
                        known == served ? "" : " (%d still wait)".formatted(known - served),
                        plain(bound));
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
