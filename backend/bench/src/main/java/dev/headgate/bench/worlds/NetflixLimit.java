package dev.headgate.bench.worlds;

import com.netflix.concurrency.limits.limit.AbstractLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;

/**
 * A limit of Netflix's concurrency-limits as a policy, so that it can be run where latency-cap is. It gets what the library's own
 * {@code WindowedLimit} would give it: for each second with at least 10 requests, their mean latency, the most connections that
 * were on lease, and whether a request failed. It never learns the cap: it seeks the size at which latency begins to rise.
 *
 * <p>Beside the library's defaults, a limit starts at 4 as latency-cap does, and may fall to 1: Gradient2's own floor of 20 is more
 * than most pools bear.
 */
final class NetflixLimit implements Policy {

    private static final int INITIAL = 4;
    private static final int MOST = 200;
    private static final long WINDOW_NANOS = 1_000_000_000L;
    private static final int ENOUGH = 10;

    private final String name;
    private final AbstractLimit limit;
    private long startNanos;
    private long lengthNanos;
    private double totalNanos;
    private long requests;
    private int inFlight;
    private boolean dropped;

    private NetflixLimit(String name, AbstractLimit limit) {
        this.name = name;
        this.limit = limit;
    }

    /**
     * After TCP Vegas (Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", 1995): estimates the
     * queue from the latency now and the least latency seen.
     */
    static NetflixLimit vegas() {
        return new NetflixLimit(
                "vegas",
                VegasLimit.newBuilder()
                        .initialLimit(INITIAL)
                        .maxConcurrency(MOST)
                        .build());
    }

    /** Scales the limit by the ratio of a long average of the latency to the latency now. */
    static NetflixLimit gradient2() {
        return new NetflixLimit(
                "gradient2",
                Gradient2Limit.newBuilder()
                        .initialLimit(INITIAL)
                        .minLimit(1)
                        .maxConcurrency(MOST)
                        .build());
    }

    @Override
    public void observe(Window window) {
        if (lengthNanos == 0) {
            startNanos = window.startNanos();
        }
        lengthNanos += window.lengthNanos();
        requests += window.latency().count();
        totalNanos += window.latency().count() * window.latency().meanNanos();
        inFlight = Math.max(inFlight, (int) Math.round(window.meanInUse()));
        dropped |= window.errors() > 0;
        if (lengthNanos >= WINDOW_NANOS && requests >= ENOUGH) {
            limit.onSample(startNanos, Math.max(1, Math.round(totalNanos / requests)), inFlight, dropped);
            lengthNanos = 0;
            totalNanos = 0;
            requests = 0;
            inFlight = 0;
            dropped = false;
        }
    }

    @Override
    public Limits limits(PoolView pool) {
        inFlight = Math.max(inFlight, pool.inUse());
        int ceiling = Math.max(1, limit.getLimit());
        return Limits.unbounded().withCeiling(ceiling).because(name);
    }
}
