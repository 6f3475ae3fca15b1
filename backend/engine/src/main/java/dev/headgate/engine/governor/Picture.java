package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.Decision.Inputs;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One database at one instant: all that a step decides on. {@link DatabaseState#look} reads it from the gates; tests write it
 * down. Immutable.
 *
 * @param budget connections this node may open
 * @param discrepancy what is wrong with the count of open connections, if something is
 * @param unreachable why no connection can be opened, as whoever watches the database saw last
 * @param common what the database's own policies say
 * @param formerCapacity the capacity of the step before; -1 before the first one
 * @param alarms of the database itself, as the step before left them
 */
record Picture(
        String database,
        int budget,
        Optional<String> discrepancy,
        Optional<String> unreachable,
        Verdict common,
        int formerCapacity,
        AlarmBoard alarms,
        List<Pool> pools) {

    Picture {
        pools = List.copyOf(pools);
    }

    /** Connections there are to divide: the budget, or less where the database's own policies say so. */
    int capacity() {
        return Math.min(budget, common.limits().ceiling());
    }

    /** Connections all pools hold together. */
    int held() {
        int sum = 0;
        for (Pool pool : pools) {
            sum += pool.size();
        }
        return sum;
    }

    /** The same database once each pool has so many permits and its waiters have been served. */
    Picture given(List<Integer> permits) {
        List<Pool> next = new ArrayList<>(pools.size());
        for (int i = 0; i < pools.size(); i++) {
            next.add(pools.get(i).given(permits.get(i)));
        }
        return new Picture(database, budget, discrepancy, unreachable, common, formerCapacity, alarms, next);
    }

    /** What the policies were shown, of all pools together. */
    Inputs inputs() {
        return Inputs.sum(
                pools.stream().map(Pool::inputs).toList(),
                HdrLatency.sum(pools, pool -> pool.window().latency()));
    }

    /**
     * One pool.
     *
     * @param verdict what its policies say
     * @param passage whether its gate is to let requests through; {@code gate.passage()} until the step has told the gate
     * @param inputs what its policies were shown before they answered; every sentence tells these figures, because later ones
     *     would contradict the policies' reasons
     * @param silentNanos how long its connections in use have been without an answer
     * @param usualSilenceNanos how long they may be, judged by recent requests
     * @param window the last one
     * @param before what the step before left
     */
    record Pool(
            String domain,
            Verdict verdict,
            Rules.Passage passage,
            boolean draining,
            Inputs inputs,
            Door gate,
            Links links,
            Need need,
            long silentNanos,
            long usualSilenceNanos,
            Window window,
            Standing before) {

        /** Connections the pool holds or may open at any moment: permits, and debts not yet paid. */
        int size() {
            return gate.permits + gate.debt;
        }

        /** Connections in use and requests that need one; those held back by the rate alone need none. */
        int demand() {
            return gate.inUse() + gate.waitingForPermits;
        }

        int guaranteed() {
            return verdict.guaranteed();
        }

        boolean isOpen() {
            return passage == Rules.Passage.OPEN;
        }

        /** Whether the rate holds requests back: it did in the last window, and there are permits for all who wait. */
        boolean isHeldByRate() {
            return gate.rateHeldBack && gate.free > 0;
        }

        /** Whether requests wait that lack nothing but their turn. */
        boolean waitsForTurn() {
            return isHeldByRate() && gate.waiting > 0;
        }

        /** The same pool once it has so many permits, at least as many as now, and its gate has served its waiters. */
        Pool given(int permits) {
            if (permits == gate.permits && gate.waiting == 0 && passage == gate.passage) {
                return this;
            }
            int forgiven = Math.min(permits - gate.permits, gate.debt);
            int free = gate.free + permits - gate.permits - forgiven;
            boolean serves = isOpen() && !gate.rateHeldBack;
            int served = serves ? Math.clamp(gate.waitingForPermits, 0, Math.max(0, free)) : 0;
            Door next = new Door(
                    passage,
                    permits,
                    gate.debt - forgiven,
                    free - served,
                    gate.waiting - served,
                    gate.rateHeldBack && free > 0 ? 0 : gate.waitingForPermits - served,
                    gate.longestWaitNanos,
                    gate.rateHeldBack);
            return new Pool(
                    domain,
                    verdict,
                    passage,
                    draining,
                    inputs,
                    next,
                    links,
                    need,
                    silentNanos,
                    usualSilenceNanos,
                    window,
                    before);
        }
    }

    /**
     * A pool's gate.
     *
     * @param debt permits taken away from holders that have not released yet
     * @param waitingForPermits of those who wait, those whom one more permit would help
     * @param rateHeldBack whether there is a rate, and it alone kept a request waiting in the last window
     */
    record Door(
            Rules.Passage passage,
            int permits,
            int debt,
            int free,
            int waiting,
            int waitingForPermits,
            long longestWaitNanos,
            boolean rateHeldBack) {

        int inUse() {
            return Math.max(0, permits + debt - free);
        }
    }

    /**
     * A pool's physical connections.
     *
     * @param failure why the last attempt to connect failed, if it did
     * @param overBudget whether one is wanted that the budget has no room for
     * @param raised alarms from outside of the engine, by code
     */
    record Links(int open, int opening, Optional<String> failure, boolean overBudget, Map<String, Raised> raised) {
        Links {
            raised = raised.isEmpty() ? Map.of() : Map.copyOf(raised);
        }
    }

    /** The most connections that were needed at once: of late, and within the idle timeout. */
    record Need(int recently, int withinIdleTimeout) {}
}
