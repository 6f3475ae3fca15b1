package dev.headgate.engine.governor;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The alarms of one pool, and the conditions that may become alarms. A condition raises its alarm when it has held for a
 * while. The alarm ends when the condition has been gone for a while; until then it is {@code clearing}. A condition that comes and
 * goes is therefore one alarm with a count. Immutable.
 */
record AlarmBoard(Map<String, Held> conditions) {

    static final AlarmBoard CLEAR = new AlarmBoard(Map.of());

    /**
     * A condition that is gone for no longer still holds: waiting comes and goes between two windows. After a longer time, one that
     * has not alarmed begins anew, and one that has alarmed counts as having come once more.
     */
    static final long LULL_NANOS = 1_000_000_000L;

    /**
     * How long a condition must hold before it alarms, and be gone before its alarm ends.
     *
     * @param clearNanos 0 to end with the condition
     */
    record Damping(long raiseNanos, long clearNanos) {

        /** Somebody does it and undoes it on purpose: the alarm follows at once. */
        static final Damping NONE = new Damping(0, 0);

        /** Something is broken: nobody should wait to hear of it. Ten seconds without it tell that it is not about to return. */
        static final Damping PROMPT = new Damping(0, 10_000_000_000L);

        /**
         * It was measured, by somebody who took their time for it or because callers have failed already. A measurement wavers about
         * its bound for long.
         */
        static final Damping MEASURED = new Damping(0, 30_000_000_000L);

        /**
         * Callers wait for what a limit does not give. A burst passes within three seconds and is no alarm. A load about the limit
         * waits every few seconds: without the long end, 98 alarms came in 37 minutes, one every 23 s.
         */
        static final Damping PATIENT = new Damping(3_000_000_000L, 30_000_000_000L);
    }

    /** A condition that holds now. */
    record Condition(String code, Words words, Severity severity, Reach reach, Damping damping) {}

    /**
     * A condition since it began.
     *
     * @param holds whether it held within the last lull
     * @param last when it was last seen
     * @param times how often it came, each time after more than a lull
     */
    record Held(
            Condition condition,
            long sinceNanos,
            Instant since,
            boolean holds,
            long lastNanos,
            Instant last,
            boolean raised,
            int times) {

        private static Held begun(Condition condition, long nowNanos, Instant now) {
            boolean raised = condition.damping.raiseNanos == 0;
            return new Held(condition, nowNanos, now, true, nowNanos, now, raised, 1);
        }

        private Held seen(Condition again, long nowNanos, Instant now) {
            boolean lull = nowNanos - lastNanos > LULL_NANOS;
            if (lull && !raised) {
                return begun(again, nowNanos, now);
            }
            boolean is = raised || nowNanos - sinceNanos >= again.damping.raiseNanos;
            return new Held(again, sinceNanos, since, true, nowNanos, now, is, lull ? times + 1 : times);
        }

        private Held gone(long nowNanos) {
            boolean lull = nowNanos - lastNanos > LULL_NANOS;
            return holds && lull ? new Held(condition, sinceNanos, since, false, lastNanos, last, raised, times) : this;
        }

        private RaisedAlarm alarm() {
            return new RaisedAlarm(
                    condition.code,
                    condition.words,
                    since,
                    condition.severity,
                    condition.reach,
                    times,
                    holds ? Optional.empty() : Optional.of(last));
        }

        private boolean isOver(long nowNanos) {
            long gone = nowNanos - lastNanos;
            return raised ? gone > 0 && gone >= condition.damping.clearNanos : gone > LULL_NANOS;
        }

        /** How long the condition held, from its begin to when it was last seen. */
        long lengthNanos() {
            return lastNanos - sinceNanos;
        }
    }

    /** The board after a window, and what changed. */
    record Change(AlarmBoard board, List<RaisedAlarm> raised, List<Held> ended) {}

    /** The board after a window that ended with these conditions. */
    Change next(List<Condition> holding, long nowNanos, Instant now) {
        if (holding.isEmpty() && conditions.isEmpty()) {
            return new Change(this, List.of(), List.of());
        }
        Map<String, Held> next = new LinkedHashMap<>(conditions);
        next.replaceAll((code, held) -> held.gone(nowNanos));
        List<RaisedAlarm> raised = new ArrayList<>();
        for (Condition condition : holding) {
            Held before = next.get(condition.code);
            Held held = before == null ? Held.begun(condition, nowNanos, now) : before.seen(condition, nowNanos, now);
            next.put(condition.code, held);
            if (held.raised && (before == null || !before.raised)) {
                raised.add(held.alarm());
            }
        }
        List<Held> ended =
                next.values().stream().filter(held -> held.isOver(nowNanos)).toList();
        ended.forEach(held -> next.remove(held.condition.code));
        return new Change(
                new AlarmBoard(next),
                raised,
                ended.stream().filter(Held::raised).toList());
    }

    /** The alarms that stand, oldest first. */
    List<RaisedAlarm> raised() {
        if (conditions.isEmpty()) {
            return List.of(); // asked of every pool in every window
        }
        return conditions.values().stream()
                .filter(Held::raised)
                .map(Held::alarm)
                .sorted(Comparator.comparing(RaisedAlarm::since))
                .toList();
    }
}
