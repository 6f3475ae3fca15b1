package dev.headgate.engine.governor;

import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.Decision.Inputs;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a governor keeps of one domain between steps: its pool, the policies in force, and what was measured. Governor only, but
 * for {@link #status} and the volatile fields.
 */
final class DomainState {

    /** Demand is remembered for so long, so that connections do not change hands at every lull of some milliseconds. */
    private static final long DEMAND_MEMORY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    final GovernedPool pool;
    final ActiveSet active;
    final Windows windows;
    private final Needs needs = new Needs();

    /** A set that is asked beside the live one, if there is one. */
    volatile @Nullable Shadow shadow;

    /** A size that is tried, if one is. */
    private @Nullable Tried tried;

    private record Tried(int size, long untilNanos) {}

    volatile Standing standing = Standing.NONE;
    volatile Rules.Passage passage = Rules.Passage.OPEN;
    volatile boolean draining;

    /** Whether it is being removed. It is gone once its last connection came back. */
    boolean leaving;

    final CompletableFuture<Void> gone = new CompletableFuture<>();

    private @Nullable Inputs shown;

    DomainState(GovernedPool pool, ActiveSet active, long nowNanos) {
        this.pool = pool;
        this.active = active;
        this.windows = new Windows(pool, nowNanos);
    }

    String domain() {
        return pool.domain();
    }

    /** Connections the pool holds or may open at any moment. */
    int size() {
        return pool.gate().places();
    }

    private int idle() {
        return Math.max(
                0, Math.min(pool.gate().free(), pool.open() - pool.gate().inUse()));
    }

    /** Notes at the start of a step what is needed. */
    void sample(long nowNanos) {
        Gate gate = pool.gate();
        needs.note(gate.inUse() + gate.waitingForPermits(), size(), nowNanos);
    }

    /** Reads the figures that the policies are shown in this step, and that every sentence tells until the next one. */
    Inputs show() {
        Gate gate = pool.gate();
        Inputs inputs = new Inputs(
                size(),
                gate.inUse(),
                idle(),
                gate.waiting(),
                gate.longestWaitNanos(),
                windows.meanNanos(),
                windows.p99Nanos(),
                OptionalDouble.empty());
        shown = inputs;
        return inputs;
    }

    /** What the policies were shown last. */
    Inputs inputs() {
        return shown == null ? show() : shown;
    }

    /** For the policies. */
    PoolView view(Instant time, long nowNanos, Limits last, DatabaseView database) {
        Inputs inputs = inputs();
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
                windows.last(),
                last,
                database);
    }

    /** Has a size in place of what the policies say, until that time at most. */
    void tryOut(int size, long untilNanos) {
        tried = new Tried(size, untilNanos);
    }

    /** The policies decide again. */
    void endTrial() {
        tried = null;
    }

    private Verdict verdict(long nowNanos) {
        Tried now = tried;
        if (now != null && nowNanos - now.untilNanos >= 0) {
            tried = null;
            now = null;
        }
        return now == null ? active.verdict() : active.verdict().tried(now.size);
    }

    /** For the step: the pool at this instant. */
    Picture.Pool look(long nowNanos) {
        Gate gate = pool.gate();
        Verdict verdict = verdict(nowNanos);
        return new Picture.Pool(
                domain(),
                verdict,
                passage,
                draining,
                inputs(),
                new Picture.Door(
                        gate.rules().passage(),
                        gate.permits(),
                        gate.debt(),
                        gate.free(),
                        gate.waiting(),
                        gate.waitingForPermits(),
                        gate.longestWaitNanos(),
                        windows.hasRateHeldBack() && gate.isPaced()),
                new Picture.Links(
                        pool.open(),
                        pool.opening(),
                        pool.failure().map(Opener.Failure::why),
                        pool.isOverBudget(),
                        pool.raised()),
                new Picture.Need(
                        needs.within(DEMAND_MEMORY_NANOS, nowNanos),
                        needs.within(verdict.idleTimeoutNanos(), nowNanos)),
                windows.silentNanos(nowNanos),
                windows.usualSilenceNanos(nowNanos),
                windows.last(),
                standing);
    }

    /** For anyone, on any thread. */
    PoolStatus status(String database) {
        Standing now = standing;
        Windows.Sums past = windows.sums();
        Rolling.Summary summary = windows.rolling();
        Gate gate = pool.gate();
        PoolStatus.State state = state();
        return new PoolStatus(
                domain(),
                database,
                active.revision(),
                state,
                now.limits().tier(),
                pool.held(),
                gate.inUse(),
                idle(),
                pool.opening(),
                gate.waiting(),
                gate.longestWaitNanos(),
                now.bounds().floor(),
                now.bounds().ceiling(),
                now.bounds().target(),
                now.guaranteed(),
                now.lent(),
                now.budget(),
                now.degraded(),
                now.limits(),
                now.binding(),
                now.limitedBy(),
                active.answers(),
                alarms(now.alarms(), state),
                summary.latency(),
                summary.waits(),
                summary.arrivalsPerSecond(),
                summary.errorsPerSecond(),
                summary.refusedPerSecond(),
                summary.traffic(),
                new PoolStatus.Totals(
                        pool.leasesTotal(),
                        pool.requestsTotal(),
                        pool.errorsTotal(),
                        gate.refusedTotal(),
                        gate.timedOutTotal(),
                        past.leasedNanos(),
                        past.busyNanos(),
                        gate.waitedNanosTotal(),
                        past.bytesIn(),
                        past.bytesOut()));
    }

    /**
     * Those of the last window, and those from outside that no step has seen: a governor that fails ends none. Without those of a state
     * that has ended since: whoever resumes a pool reads at once that it takes requests.
     */
    private List<RaisedAlarm> alarms(AlarmBoard board, PoolStatus.State state) {
        List<RaisedAlarm> seen = board.raised();
        Map<String, Raised> outside = pool.raised();
        if (seen.isEmpty() && outside.isEmpty()) {
            return seen; // nearly always
        }
        Map<String, RaisedAlarm> all = new LinkedHashMap<>();
        outside.forEach((code, raised) -> all.put(code, raised.alarm(code)));
        seen.forEach(alarm -> all.put(alarm.code(), alarm));
        if (state != PoolStatus.State.DRAINING) {
            all.remove(Alarms.DRAINING);
        }
        if (state != PoolStatus.State.PAUSED) {
            all.remove(Alarms.PAUSED);
        }
        return all.values().stream()
                .sorted(Comparator.comparing(RaisedAlarm::since))
                .toList();
    }

    private PoolStatus.State state() {
        if (draining) {
            return PoolStatus.State.DRAINING;
        }
        // what the gate does already, not what the next step will make it do
        return pool.gate().rules().passage() == Rules.Passage.PAUSED ? PoolStatus.State.PAUSED : PoolStatus.State.OPEN;
    }
}
