package dev.headgate.server.guards;

import dev.headgate.engine.meter.HdrLatency;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Compares measurements with a guard's bounds. Its verdicts are sentences with figures. Remembers which bounds it could judge.
 */
final class GuardVerdict {

    private final GuardBounds bounds;
    private final Set<String> judged = new HashSet<>();

    GuardVerdict(GuardBounds bounds) {
        this.bounds = bounds;
    }

    /** Whether these samples are enough to judge every bound. */
    boolean isEnough(GuardSamples.Sums sums) {
        boolean needsRequests = bounds.p99Ms() != null || bounds.errorRate() != null;
        return (!needsRequests || sums.requests() >= GuardWatch.LEAST)
                && (bounds.refusedRate() == null || sums.arrivals() >= GuardWatch.LEAST)
                && (bounds.waitP99Ms() == null || sums.waits() >= GuardWatch.LEAST);
    }

    /** Why the revision has failed; empty if it has not. */
    Optional<String> of(GuardSamples samples, Collection<StillWaiting> waiting, Instant now) {
        Duration seen =
                samples.begin().map(begin -> Duration.between(begin, now)).orElse(GuardWatch.SPAN);
        double seconds = Math.max(GuardWatch.SPAN.toMillis(), seen.toMillis()) / 1e3;
        return byErrors(samples.sums(), seconds)
                .or(() -> byRefusals(samples.sums(), seconds))
                .or(() -> byLatency(samples, seconds))
                .or(() -> byWaits(samples, waiting, seconds, now));
    }

    /** The bounds that were not judged, and which samples were missing; empty if all were judged. */
    Optional<String> unjudged(GuardSamples.Sums sums, int waiting) {
        List<String> missing = new ArrayList<>();
        String ended = sums.requests() + " requests ended";
        noteUnjudged(missing, "errorRate", bounds.errorRate(), ended);
        noteUnjudged(
                missing, "refusedRate", bounds.refusedRate(), sums.arrivals() + " requests for a connection arrived");
        noteUnjudged(missing, "p99Ms", bounds.p99Ms(), ended);
        noteUnjudged(
                missing, "waitP99Ms", bounds.waitP99Ms(), sums.waits() + " waits ended, " + waiting + " still wait");
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "Not judged: %s; a judgement needs %d".formatted(String.join(", ", missing), GuardWatch.LEAST));
    }

    private void noteUnjudged(List<String> missing, String name, @Nullable Double bound, String seen) {
        if (bound != null && !judged.contains(name)) {
            missing.add("%s (%s)".formatted(name, seen));
        }
    }

    private Optional<String> byErrors(GuardSamples.Sums sums, double seconds) {
        @Nullable Double bound = bounds.errorRate();
        long requests = sums.requests();
        if (bound == null || requests < GuardWatch.LEAST) {
            return Optional.empty();
        }
        judged.add("errorRate");
        return sums.errors() <= bound * requests
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%d of %d requests failed in the last %.1f s (%s), above the bound of %s",
                        sums.errors(),
                        requests,
                        seconds,
                        percent(sums.errors(), requests),
                        percent(bound)));
    }

    private Optional<String> byRefusals(GuardSamples.Sums sums, double seconds) {
        @Nullable Double bound = bounds.refusedRate();
        long came = Math.max(sums.arrivals(), sums.refused());
        if (bound == null || came < GuardWatch.LEAST) {
            return Optional.empty();
        }
        judged.add("refusedRate");
        return sums.refused() <= bound * came
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%d of %d requests for a connection were refused in the last %.1f s (%s), above the bound of %s",
                        sums.refused(),
                        came,
                        seconds,
                        percent(sums.refused(), came),
                        percent(bound)));
    }

    private Optional<String> byLatency(GuardSamples samples, double seconds) {
        @Nullable Double bound = bounds.p99Ms();
        long requests = samples.sums().requests();
        if (bound == null || requests < GuardWatch.LEAST) {
            return Optional.empty();
        }
        judged.add("p99Ms");
        double measured = samples.latency().percentileNanos(99) / 1e6;
        return measured <= bound
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "The p99 of %d requests in the last %.1f s was %.1f ms, above the bound of %s ms",
                        requests,
                        seconds,
                        measured,
                        plain(bound)));
    }

    private Optional<String> byWaits(
            GuardSamples samples, Collection<StillWaiting> waiting, double seconds, Instant now) {
        @Nullable Double bound = bounds.waitP99Ms();
        if (bound == null) {
            return Optional.empty();
        }
        Histogram waits = samples.waits();
        long served = waits.getTotalCount();
        waiting.forEach(pool -> pool.addTo(waits, now, (long) (bound * 1e6)));
        long known = waits.getTotalCount();
        long timedOut = samples.sums().timedOut();
        long all = known + timedOut;
        if (all < GuardWatch.LEAST) {
            return Optional.empty();
        }
        judged.add("waitP99Ms");
        if (timedOut > 0.01 * all) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "%d of %d requests for a connection timed out in the last %.1f s (%s): the p99 of the waits is above"
                            + " the bound of %s ms",
                    timedOut,
                    all,
                    seconds,
                    percent(timedOut, all),
                    plain(bound)));
        }
        // timed-out waits are the longest, so the p99 of all waits is a higher percentile of the others
        double measured = HdrLatency.of(waits).percentileNanos(Math.min(100, 99.0 * all / known)) / 1e6;
        return measured <= bound
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "The p99 of %d waits in the last %.1f s was %.1f ms%s, above the bound of %s ms",
                        all,
                        seconds,
                        measured,
                        known == served ? "" : " (%d still wait)".formatted(known - served),
                        plain(bound)));
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
