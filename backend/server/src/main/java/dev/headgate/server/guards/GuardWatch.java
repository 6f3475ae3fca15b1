package dev.headgate.server.guards;

import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Watches the measurements under a revision on probation, and tells when it has failed. All times are the windows' own, so it
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

    private final Instant armedAt;
    private final Map<String, StillWaiting> waiting = new HashMap<>();
    private final Map<String, Long> timedOut = new HashMap<>();
    private final GuardSamples samples = new GuardSamples();
    private final GuardVerdict verdict;
    private Instant nextLook;

    GuardWatch(GuardBounds bounds, Instant armedAt) {
        this.armedAt = armedAt;
        this.verdict = new GuardVerdict(bounds);
        this.nextLook = armedAt.plus(SPAN);
    }

    /**
     * Adds a window.
     *
     * @param domain whose pool it is of
     * @param end its end on the wall clock
     * @param timedOutTotal requests that have timed out at that pool so far
     * @return why the revision has failed, as a sentence with figures; empty if it has not
     */
    Optional<String> add(String domain, Instant end, Window window, long timedOutTotal) {
        @Nullable Long before = timedOut.put(domain, timedOutTotal);
        if (end.minusNanos(window.lengthNanos()).isBefore(armedAt)) {
            return Optional.empty();
        }
        waiting.computeIfAbsent(domain, pool -> new StillWaiting()).add(end, window);
        samples.add(end, window, before == null ? 0 : Math.max(0, timedOutTotal - before));
        if (end.isBefore(nextLook)) {
            return Optional.empty();
        }
        nextLook = end.plus(PACE);
        samples.forget(end.minus(SPAN), verdict::isEnough);
        return verdict.of(samples, waiting.values(), end);
    }

    /** The bounds that were not judged, and which samples were missing, as a sentence; empty if all were judged. */
    Optional<String> unjudged() {
        int goingOn = waiting.values().stream().mapToInt(StillWaiting::count).sum();
        return verdict.unjudged(samples.sums(), goingOn);
    }
}
