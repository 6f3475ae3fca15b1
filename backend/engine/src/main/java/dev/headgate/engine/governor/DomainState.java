package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a governor knows of one domain: its pool, the policies in force, and all that is remembered of it between steps. The
 * governor's own, but for the published {@link Standing} and what {@link #status} reads.
 */
final class DomainState {

    /** A window that saw nothing. */
    static final Window NOTHING_YET =
            new Window(0, 0, HdrLatency.none(), HdrLatency.none(), 0, 0, 0, 0, 0, 0, 0, 0, List.of());

    /** What is in force, published whole after every step. */
    record Standing(
            Limits limits,
            int floor,
            int ceiling,
            int target,
            int guaranteed,
            int lent,
            int budget,
            Optional<String> degraded,
            Optional<Answer> binding,
            List<PoolStatus.RaisedAlarm> alarms) {
        static final Standing NONE =
                new Standing(Limits.unbounded(), 0, 0, 0, 0, 0, 0, Optional.empty(), Optional.empty(), List.of());
    }

    /** How far back idle connections are judged, and windows are shown to a policy set that has just come. */
    private static final int WINDOWS_KEPT = 50;

    /** The share of the connections in use that have a request under way, where all have; samples differ a little. */
    private static final double ALL_ACTIVE = 0.9;

    /** More connections than any pool has. */
    private static final int MOST_REMEMBERED = 4096;

    final GovernedPool pool;
    final ActiveSet active;
    /** A set that is asked beside the live one, if there is one. */
    volatile @Nullable Shadow shadow;

    final AlarmBoard alarms = new AlarmBoard();
    final Rolling rolling = new Rolling();
    final Deque<Window> recent = new ArrayDeque<>();
    volatile Standing standing = Standing.NONE;
    volatile Rules.Passage passage = Rules.Passage.OPEN;
    boolean draining;

    /** Whether it is being removed; it is gone once its last connection came back. */
    boolean leaving;

    final CompletableFuture<Void> gone = new CompletableFuture<>();

    /** What all windows brought, summed. */
    private record Sums(long leasedNanos, long busyNanos, long bytesIn, long bytesOut) {
        static final Sums NONE = new Sums(0, 0, 0, 0);

        Sums plus(PoolMeter.Measured measured) {
            long in = bytesIn;
            long out = bytesOut;
            for (Window.ConnectionWindow connection : measured.connections()) {
                in += connection.bytesIn();
                out += connection.bytesOut();
            }
            return new Sums(leasedNanos + measured.leasedNanos(), busyNanos + measured.busyNanos(), in, out);
        }
    }

    private volatile Sums sums = Sums.NONE;
    Window window = NOTHING_YET;
    private long windowBegan;
    private long seenAdmitted;
    private long seenRefused;
    private long seenTimedOut;
    private long seenWaited;
    private long seenHeldByRate;
    private boolean rateHeldBack;
    private int seenWaiting;
    private double inUseSum;
    private int inUseSamples;

    /** {@code neededAt[n]}: when more than n connections were last in use or asked for. */
    private long[] neededAt = new long[0];

    private Decision.@Nullable Inputs seen;

    boolean unreachable;
    boolean wantedMore;

    /** When the database last sent something, or had nothing to answer. */
    private long answeredNanos;

    DomainState(GovernedPool pool, ActiveSet active, long nowNanos) {
        this.pool = pool;
        this.active = active;
        this.windowBegan = nowNanos;
        this.answeredNanos = nowNanos;
    }

    String domain() {
        return pool.domain();
    }

    /** Physical connections the pool holds or may open at any moment: permits, and debts not yet paid. */
    int size() {
        return pool.gate().permits() + pool.gate().debt();
    }

    /** Connections owed to it on demand; 0 where no policy says so. */
    int guaranteed() {
        int guaranteed = active.combined().guaranteed();
        return guaranteed == Limits.UNSPECIFIED ? 0 : guaranteed;
    }

    int idle() {
        return Math.max(
                0, Math.min(pool.gate().free(), pool.open() - pool.gate().inUse()));
    }

    /** Connections in use and requests that need one; those whom only the rate holds back need none. */
    int demand() {
        return pool.gate().inUse() + pool.gate().waitingForPermits();
    }

    /** Whether what holds requests back is the rate: it did in the last window, and there are permits for all who wait. */
    boolean isHeldByRate() {
        return rateHeldBack && pool.gate().free() > 0;
    }

    /** Whether requests wait that lack nothing but their turn. */
    boolean waitsForTurn() {
        return isHeldByRate() && pool.gate().waiting() > 0;
    }

    /** Looks at the pool between windows. */
    void sample(long nowNanos) {
        int inUse = pool.gate().inUse();
        inUseSum += inUse;
        inUseSamples++;
        int needed = Math.min(demand(), MOST_REMEMBERED);
        if (needed > neededAt.length) {
            long[] longer = new long[needed];
            System.arraycopy(neededAt, 0, longer, 0, neededAt.length);
            neededAt = longer;
        }
        for (int i = 0; i < needed; i++) {
            neededAt[i] = nowNanos;
        }
    }

    /** The most connections that were needed at once within the given time. */
    int neededWithin(long nanos, long nowNanos) {
        int needed = neededAt.length;
        while (needed > 0 && nowNanos - neededAt[needed - 1] > nanos) {
            needed--;
        }
        return needed;
    }

    /** Connections of a size that came with the domain or a floor count as needed now. */
    void treatAsNeeded(int connections, long nowNanos) {
        if (connections > neededAt.length) {
            long[] longer = new long[connections];
            System.arraycopy(neededAt, 0, longer, 0, neededAt.length);
            java.util.Arrays.fill(longer, neededAt.length, connections, nowNanos);
            neededAt = longer;
        }
    }

    /** Ends the window. */
    Window endWindow(long nowNanos) {
        PoolMeter.Measured measured = pool.drain(nowNanos);
        sums = sums.plus(measured);
        long length = Math.max(1, nowNanos - windowBegan);
        long admitted = pool.gate().admittedTotal();
        long refusedNow = pool.gate().refusedTotal();
        long timedOut = pool.gate().timedOutTotal();
        long waitedNow = pool.gate().waitedTotal();
        int waitingNow = pool.gate().waiting();
        long leases = admitted - seenAdmitted;
        long refused = refusedNow - seenRefused + timedOut - seenTimedOut;
        window = new Window(
                windowBegan,
                length,
                measured.latency(),
                waitsOfWindow(waitedNow > seenWaited, leases - (waitedNow - seenWaited)),
                Math.max(0, leases + refused + waitingNow - seenWaiting),
                leases,
                refused,
                measured.errors(),
                (double) measured.busyNanos() / length,
                inUseSamples == 0 ? pool.gate().inUse() : inUseSum / inUseSamples,
                size(),
                waitingNow,
                measured.connections());
        if (hasAnswer(window)) {
            answeredNanos = nowNanos;
        }
        windowBegan = nowNanos;
        seenAdmitted = admitted;
        seenRefused = refusedNow;
        seenTimedOut = timedOut;
        seenWaited = waitedNow;
        seenWaiting = waitingNow;
        long heldByRate = pool.gate().heldByRateTotal();
        rateHeldBack = heldByRate > seenHeldByRate;
        seenHeldByRate = heldByRate;
        inUseSum = 0;
        inUseSamples = 0;
        rolling.add(window, measured.leasedNanos());
        recent.addLast(withoutConnections(window));
        if (recent.size() > WINDOWS_KEPT) {
            recent.removeFirst();
        }
        return window;
    }

    /** Whether a request ended or bytes came, or else some connection in use had no request under way. */
    private static boolean hasAnswer(Window window) {
        return window.latency().count() > 0
                || window.errors() > 0
                || window.connections().stream().anyMatch(connection -> connection.bytesIn() > 0)
                || window.meanActive() < ALL_ACTIVE * Math.max(1, window.meanInUse());
    }

    /** For how long every connection in use has waited for an answer, without a byte on any of them. */
    long silentNanos(long nowNanos) {
        return nowNanos - answeredNanos;
    }

    private Latency waitsOfWindow(boolean someWaited, long immediate) {
        if (!someWaited && immediate <= 0) {
            return HdrLatency.none();
        }
        Histogram all = someWaited ? pool.gate().drainWaits() : HdrLatency.newSum();
        if (immediate > 0) {
            all.recordValueWithCount(0, immediate);
        }
        return HdrLatency.of(all);
    }

    private static Window withoutConnections(Window window) {
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

    /**
     * What the policies are shown in this step, and every sentence tells until the next one: figures that were read later would
     * belie what the policies say of these.
     */
    Decision.Inputs inputs() {
        return seen == null ? see() : seen;
    }

    /** Looks at the pool, for a step. */
    Decision.Inputs see() {
        LatencyFigures figures = LatencyFigures.of(rolling, window);
        seen = new Decision.Inputs(
                size(),
                pool.gate().inUse(),
                idle(),
                pool.gate().waiting(),
                pool.gate().longestWaitNanos(),
                figures.mean(),
                figures.p99());
        return seen;
    }

    /** The last window's latency, or the last ten seconds' where the window saw no request. */
    private record LatencyFigures(double mean, long p99) {
        static LatencyFigures of(Rolling rolling, Window window) {
            if (window.latency().count() > 0) {
                return new LatencyFigures(
                        window.latency().meanNanos(), window.latency().percentileNanos(99));
            }
            return new LatencyFigures(
                    rolling.summary().latency().meanNanos(),
                    rolling.summary().latency().p99Nanos());
        }
    }

    /** Read by any thread. */
    PoolStatus status(String database) {
        Standing now = standing;
        Sums past = sums;
        Rolling.Summary summary = rolling.summary();
        int inUse = pool.gate().inUse();
        return new PoolStatus(
                domain(),
                database,
                active.revision(),
                draining
                        ? PoolStatus.State.DRAINING
                        // what the gate does already, not what the next step will make it do
                        : pool.gate().rules().passage() == Rules.Passage.PAUSED
                                ? PoolStatus.State.PAUSED
                                : PoolStatus.State.OPEN,
                now.limits().tier(),
                size(),
                inUse,
                idle(),
                pool.opening(),
                pool.gate().waiting(),
                pool.gate().longestWaitNanos(),
                now.floor(),
                now.ceiling(),
                now.target(),
                now.guaranteed(),
                now.lent(),
                now.budget(),
                now.degraded(),
                now.limits(),
                now.binding(),
                active.answers(),
                now.alarms(),
                summary.latency(),
                summary.waits(),
                summary.arrivalsPerSecond(),
                summary.errorsPerSecond(),
                summary.refusedPerSecond(),
                summary.traffic(),
                new PoolStatus.Totals(
                        pool.gate().admittedTotal(),
                        pool.requestsTotal(),
                        pool.errorsTotal(),
                        pool.gate().refusedTotal(),
                        pool.gate().timedOutTotal(),
                        past.leasedNanos(),
                        past.busyNanos(),
                        pool.gate().waitedNanosTotal(),
                        past.bytesIn(),
                        past.bytesOut()));
    }

    /** For the policies: what was looked at, at an instant. */
    PoolView view(java.time.Instant time, long nowNanos, Limits last, dev.headgate.spi.DatabaseView database) {
        Decision.Inputs inputs = inputs();
        return new PoolView(
                domain(),
                active.revision(),
                time,
                nowNanos,
                inputs.size(),
                inputs.inUse(),
                inputs.idle(),
                inputs.waiting(),
                inputs.longestWaitNanos(),
                window,
                last,
                database);
    }
}
