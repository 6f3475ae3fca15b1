package dev.headgate.policy.gradient;

import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * Adapts the size to the gradient of latency: the usual latency over the present one. At 1 the pool may grow; below, requests
 * wait for each other on the server, and the pool shrinks in proportion. No cap has to be known. The rule is that of TCP Vegas
 * (Brakmo, O'Malley and Peterson, 1994) as Netflix's concurrency limits and Envoy's adaptive concurrency use it, with
 * bounds against the failures that have been published of them:
 *
 * <ul>
 *   <li><b>A lucky minimum crushes the limit</b> (Vegas; Envoy's stale samples ratchet it). There is no minimum here: the usual
 *       latency is a mean, and a measurement may move it by a fifth at most.
 *   <li><b>The usual latency drifts up under mild overload</b>, and the limit with it (Gradient2's long average). While the
 *       pool is full the usual latency rises by {@code driftPercentPerMinute} at most; it follows freely only what is seen
 *       of a pool with connections to spare.
 *   <li><b>The limit grows without demand</b>, and lets a burst through that it has never tried. It grows only while the pool is
 *       full and someone waits.
 *   <li><b>A default floor above what the pool needs.</b> The floor is the operator's, and 1 by default.
 *   <li><b>Probing for the minimum sheds traffic</b> (Envoy). There is no probing.
 *   <li><b>Windows with little traffic.</b> They are summed until they hold enough requests; with too few in 10 s the limit
 *       stays where it is.
 * </ul>
 *
 * <p>One is left, and belongs to the method: it cannot tell a slow database from too many connections. When the database is slow
 * by itself the pool shrinks to its floor, and stays there until the latency is as usual again or the drift has made the
 * new one usual. Where that matters, {@code latency-cap} is the policy to take.
 */
final class Gradient implements Policy {

    private static final int ENOUGH = 40;
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A measurement moves the usual latency by this share of the difference, where it moves it freely. */
    private static final double MEMORY = 0.1;
    /** One measurement cannot take more than this off, however long it took. */
    private static final double STEEPEST = 0.5;
    /** And moves the usual latency by no more than this share of it. */
    private static final double MOST_MOVE = 0.2;

    private final int min;
    private final int max;
    private final double tolerance;
    private final double smoothing;
    private final double driftPerNano;

    private double limit;
    private double usualNanos;
    private boolean full;
    private Optional<Latency> collected = Optional.empty();
    private long collectedNanos;
    private long fullNanos;
    /** The mean that the answer's reason tells. */
    private OptionalDouble judgedNanos = OptionalDouble.empty();

    private Limits answer;

    Gradient(int min, int max, int startAt, double tolerance, double smoothing, double driftPerMinute) {
        this.min = min;
        this.max = max;
        this.tolerance = tolerance;
        this.smoothing = smoothing;
        this.driftPerNano = driftPerMinute / TimeUnit.MINUTES.toNanos(1);
        this.limit = Math.clamp(startAt, min, max);
        this.answer = limits("Starts with %s.".formatted(connections(size())));
    }

    @Override
    public Limits limits(PoolView pool) {
        return answer;
    }

    @Override
    public OptionalDouble judgedNanos() {
        return judgedNanos;
    }

    @Override
    public void observe(Window window) {
        long length = Math.max(1, window.lengthNanos());
        Latency sum = collected.map(before -> before.plus(window.latency())).orElse(window.latency());
        collected = Optional.of(sum);
        collectedNanos += length;
        if (window.size() >= size() && (window.waiting() > 0 || window.refused() > 0)) {
            fullNanos += length;
        }
        if (collectedNanos >= SHORTEST_NANOS && sum.count() >= ENOUGH) {
            full = 2 * fullNanos > collectedNanos;
            decide(Math.max(1, sum.meanNanos()), collectedNanos);
            clear();
        } else if (collectedNanos >= LONGEST_NANOS) {
            clear();
        }
    }

    private void clear() {
        collected = Optional.empty();
        collectedNanos = 0;
        fullNanos = 0;
    }

    private void decide(double presentNanos, long nanos) {
        learn(presentNanos, nanos);
        judgedNanos = OptionalDouble.of(presentNanos);
        double gradient = Math.clamp(tolerance * usualNanos / presentNanos, STEEPEST, 1);
        double aim;
        if (gradient < 1) {
            aim = limit * gradient;
        } else if (full) {
            aim = limit + Math.max(1, Math.sqrt(limit));
        } else {
            aim = limit;
        }
        limit = Math.clamp(limit + smoothing * (aim - limit), min, max);
        String figures = "the mean was %s, usually %s".formatted(ms(presentNanos), ms(usualNanos));
        if (gradient < 1) {
            answer = limits("%s: %s, more than %s times as long.".formatted(atMost(size()), figures, tolerance));
        } else {
            answer = limits("%s: %s%s."
                    .formatted(atMost(size()), figures, full ? ", and more were wanted" : ", and no more were wanted"));
        }
    }

    /** Freely where connections are to spare, or downwards; upwards in a full pool only as fast as the drift allows. */
    private void learn(double presentNanos, long nanos) {
        if (usualNanos == 0) {
            usualNanos = presentNanos;
            return;
        }
        double most = full ? driftPerNano * nanos : MOST_MOVE;
        double move = MEMORY * (presentNanos - usualNanos);
        usualNanos += Math.clamp(move, -MOST_MOVE * usualNanos, most * usualNanos);
    }

    private int size() {
        return (int) Math.rint(limit);
    }

    private Limits limits(String reason) {
        return Limits.unbounded().withCeiling(size()).because(reason);
    }

    private static String connections(int count) {
        return count == 1 ? "1 connection" : count + " connections";
    }

    private static String atMost(int count) {
        return "At most " + connections(count);
    }

    private static String ms(double nanos) {
        return String.format(Locale.ROOT, nanos < 10e6 ? "%.2f ms" : "%.1f ms", nanos / 1e6);
    }
}
