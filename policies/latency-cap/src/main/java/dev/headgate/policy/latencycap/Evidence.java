package dev.headgate.policy.latencycap;

import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Sums windows until there are enough requests in them to judge by, and says whether the pool was full meanwhile.
 *
 * <p>Full means that the pool's size, not the load, set how many connections were active: someone waited at the end of the
 * window, or was turned away, or most leases had been waited for.
 */
final class Evidence {

    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PATIENT_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** Fewer requests than these say nothing, however long they took to come. */
    private static final int LEAST = 8;

    private final int enough;
    private Optional<Latency> latency = Optional.empty();
    private double activeNanos;
    private double sizeNanos;
    private double inUseNanos;
    private long fullNanos;
    private long nanos;

    /**
     * What a stretch of windows came to.
     *
     * @param active connections with a request under way, on average
     * @param size connections in the pool, on average
     * @param inUse connections on lease, on average
     * @param full whether the pool was full for most of it
     * @param waited whether anybody waited or was turned away at any time of it
     * @param nanos how long the stretch was
     */
    record Measurement(
            Latency latency, double active, double size, double inUse, boolean full, boolean waited, long nanos) {}

    Evidence(int enough) {
        this.enough = enough;
    }

    /** Takes a window in; the answer is a measurement once there is enough for one. */
    Optional<Measurement> add(Window window) {
        long length = Math.max(1, window.lengthNanos());
        Latency sum = latency.map(before -> before.plus(window.latency())).orElse(window.latency());
        latency = Optional.of(sum);
        activeNanos += window.meanActive() * length;
        sizeNanos += (double) window.size() * length;
        inUseNanos += window.meanInUse() * length;
        if (full(window)) {
            fullNanos += length;
        }
        nanos += length;
        long samples = sum.count();
        boolean ready = (nanos >= SHORTEST_NANOS && samples >= enough) || (nanos >= PATIENT_NANOS && samples >= LEAST);
        if (ready) {
            Measurement measurement = new Measurement(
                    sum,
                    activeNanos / nanos,
                    sizeNanos / nanos,
                    inUseNanos / nanos,
                    2 * fullNanos > nanos,
                    fullNanos > 0,
                    nanos);
            clear();
            return Optional.of(measurement);
        }
        if (nanos >= STALE_NANOS) {
            clear();
        }
        return Optional.empty();
    }

    void clear() {
        latency = Optional.empty();
        activeNanos = 0;
        sizeNanos = 0;
        inUseNanos = 0;
        fullNanos = 0;
        nanos = 0;
    }

    private static boolean full(Window window) {
        return window.size() > 0
                && (window.waiting() > 0
                        || window.refused() > 0
                        || (window.waits().count() > 0 && window.waits().percentileNanos(50) > 0));
    }
}
