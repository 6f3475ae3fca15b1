package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What was measured of one pool, window by window. The governor's own, but for {@link #sums} and {@link #rolling}. */
final class Windows {

    /** A window that saw nothing. */
    static final Window NOTHING_YET =
            new Window(0, 0, HdrLatency.none(), HdrLatency.none(), 0, 0, 0, 0, 0, 0, 0, 0, List.of());

    /** Windows that are kept, and shown to a policy set that has just come. */
    private static final int KEPT = 50;

    /** The share of the connections in use that have a request under way, where all have; samples differ a little. */
    private static final double ALL_ACTIVE = 0.9;

    /** A shorter silence is not remarkable, however fast the database was. */
    private static final long SHORTEST_SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** What all windows brought, summed. */
    record Sums(long leasedNanos, long busyNanos, long bytesIn, long bytesOut) {
        private static final Sums NONE = new Sums(0, 0, 0, 0);

        private Sums plus(PoolMeter.Measured measured) {
            if (measured.connections().isEmpty()) {
                return this;
            }
            long in = bytesIn;
            long out = bytesOut;
            for (Window.ConnectionWindow connection : measured.connections()) {
                in += connection.bytesIn();
                out += connection.bytesOut();
            }
            return new Sums(leasedNanos + measured.leasedNanos(), busyNanos + measured.busyNanos(), in, out);
        }
    }

    /** The counters of a pool and its gate at the end of a window. */
    private record Totals(
            long leases, long admitted, long refused, long left, long waited, long heldByRate, int waiting) {
        private static Totals of(GovernedPool pool) {
            Gate gate = pool.gate();
            return new Totals(
                    pool.leasesTotal(),
                    gate.admittedTotal(),
                    gate.refusedTotal() + gate.timedOutTotal(),
                    gate.leftTotal(),
                    gate.waitedTotal(),
                    gate.heldByRateTotal(),
                    gate.waiting());
        }
    }

    private final GovernedPool pool;
    private final Rolling rolling = new Rolling();
    private final Deque<Window> recent = new ArrayDeque<>();
    private volatile Sums sums = Sums.NONE;
    private Window last = NOTHING_YET;
    private Totals totals = new Totals(0, 0, 0, 0, 0, 0, 0);
    private boolean rateHeldBack;
    private long beganNanos;

    /** When the database last sent something, or had nothing to answer. */
    private long answeredNanos;

    Windows(GovernedPool pool, long nowNanos) {
        this.pool = pool;
        this.beganNanos = nowNanos;
        this.answeredNanos = nowNanos;
    }

    /**
     * Ends the window.
     *
     * @param siblings those of the pools of the same database that nobody used
     */
    Window end(long nowNanos, QuietWindows siblings) {
        PoolMeter.Measured measured = pool.drain(nowNanos);
        sums = sums.plus(measured);
        Totals now = Totals.of(pool);
        long length = Math.max(1, nowNanos - beganNanos);
        double meanInUse = meanInUse(pool.gate().inUse(), measured, length);
        last = measured.isNothing() && meanInUse == 0 && now.equals(totals)
                ? siblings.of(beganNanos, length, now.waiting, pool.held())
                : window(measured, now, length, meanInUse);
        if (hasAnswer(last)) {
            answeredNanos = nowNanos;
        }
        rateHeldBack = now.heldByRate > totals.heldByRate;
        beganNanos = nowNanos;
        totals = now;
        rolling.add(last, measured.leasedNanos());
        recent.addLast(withoutConnections(last));
        if (recent.size() > KEPT) {
            recent.removeFirst();
        }
        return last;
    }

    private Window window(PoolMeter.Measured measured, Totals now, long length, double meanInUse) {
        Gate gate = pool.gate();
        long leases = now.leases - totals.leases;
        long admitted = now.admitted - totals.admitted;
        long refused = now.refused - totals.refused;
        long left = now.left - totals.left;
        long waited = now.waited - totals.waited;
        Latency waits = admitted > 0 || waited > 0 ? gate.drainWaits(admitted - waited) : HdrLatency.none();
        return new Window(
                beganNanos,
                length,
                measured.latency(),
                waits,
                Math.max(0, leases + refused + left + now.waiting - totals.waiting),
                leases,
                refused,
                measured.errors(),
                (double) measured.busyNanos() / length,
                meanInUse,
                pool.held(),
                now.waiting,
                measured.connections());
    }

    /**
     * By the times of the leases, from their first requests to their returns. Of a lease that has made no request yet the clock is not
     * read. Such leases count as they are at the window's end: not exact for one window, but right on average, because a window ends
     * whatever the pool does. (At a step that a waiter has caused the pool is full.)
     */
    private static double meanInUse(int inUse, PoolMeter.Measured measured, long length) {
        return (double) measured.heldNanos() / length + Math.max(0, inUse - measured.held());
    }

    /** Whether a request ended or bytes came, or else some connection in use had no request under way. */
    private static boolean hasAnswer(Window window) {
        return window.latency().count() > 0
                || window.errors() > 0
                || hasBytes(window)
                || window.meanActive() < ALL_ACTIVE * Math.max(1, window.meanInUse());
    }

    private static boolean hasBytes(Window window) {
        for (Window.ConnectionWindow connection : window.connections()) {
            if (connection.bytesIn() > 0) {
                return true;
            }
        }
        return false;
    }

    private static Window withoutConnections(Window window) {
        if (window.connections().isEmpty()) {
            return window;
        }
        return new Window(
                window.startNanos(),
                window.lengthNanos(),
                window.latency(),
                window.waits(),
                window.arrivals(),
                window.leases(),
                window.refused(),
                window.errors(),
                window.meanActive(),
                window.meanInUse(),
                window.size(),
                window.waiting(),
                List.of());
    }

    /** The last window. */
    Window last() {
        return last;
    }

    /** The windows that are kept, oldest first, without connections. */
    Deque<Window> recent() {
        return recent;
    }

    /** Whether the rate alone kept a request waiting in the last window. */
    boolean hasRateHeldBack() {
        return rateHeldBack;
    }

    /** How long every connection in use has waited for an answer, without a byte on any of them. */
    long silentNanos(long nowNanos) {
        return nowNanos - answeredNanos;
    }

    /** How long such a silence may be; follows from how long requests took of late. */
    long usualSilenceNanos(long nowNanos) {
        return silentNanos(nowNanos) < SHORTEST_SILENCE_NANOS
                ? SHORTEST_SILENCE_NANOS
                : Math.max(SHORTEST_SILENCE_NANOS, rolling.summary().latency().p99Nanos());
    }

    /** The mean latency of the last window, or of the last ten seconds if the window saw no request. */
    double meanNanos() {
        return last.latency().count() > 0
                ? last.latency().meanNanos()
                : rolling.summary().latency().meanNanos();
    }

    /** The p99 of the same requests. */
    long p99Nanos() {
        return last.latency().count() > 0
                ? last.latency().percentileNanos(99)
                : rolling.summary().latency().p99Nanos();
    }

    Sums sums() {
        return sums;
    }

    Rolling.Summary rolling() {
        return rolling.summary();
    }
}
