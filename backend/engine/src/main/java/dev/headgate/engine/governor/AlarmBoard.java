package dev.headgate.engine.governor;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The alarms of one pool, and the conditions that may become alarms. A condition raises its alarm when it has held for a
 * while. The alarm ends when the condition has been gone for a while, so that brief changes alarm nobody. Immutable.
 */
record AlarmBoard(Map<String, Held> conditions) {

    static final AlarmBoard CLEAR = new AlarmBoard(Map.of());

    /** An alarm ends when its condition has been gone for so long. */
    static final long CLEAR_AFTER_NANOS = 3_000_000_000L;

    /** These end as soon as their condition does. */
    private static final Set<String> PROMPTLY_CLEARED =
            Set.of("degraded", "unreachable", "no-answer", "paused", "draining");

    /**
     * A condition that holds now.
     *
     * @param patienceNanos how long it must hold before it alarms
     */
    record Condition(String code, String message, Severity severity, long patienceNanos) {}

    /** A condition since it began; {@code lastNanos} is when it was last seen. */
    record Held(Condition condition, long sinceNanos, Instant since, long lastNanos, boolean raised) {

        private RaisedAlarm alarm() {
            return new RaisedAlarm(condition.code, condition.message, since, condition.severity);
        }

        private boolean isOver(long nowNanos) {
            long gone = nowNanos - lastNanos;
            return PROMPTLY_CLEARED.contains(condition.code) ? gone > 0 : gone >= CLEAR_AFTER_NANOS;
        }

        /** How long the condition held; what came after it was last seen does not count. */
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
        List<RaisedAlarm> raised = new ArrayList<>();
        for (Condition condition : holding) {
            Held before = next.get(condition.code);
            long sinceNanos = before == null ? nowNanos : before.sinceNanos;
            boolean was = before != null && before.raised;
            boolean is = was || nowNanos - sinceNanos >= condition.patienceNanos;
            Held held = new Held(condition, sinceNanos, before == null ? now : before.since, nowNanos, is);
            next.put(condition.code, held);
            if (is && !was) {
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
        return conditions.values().stream()
                .filter(Held::raised)
                .map(Held::alarm)
                .sorted(Comparator.comparing(RaisedAlarm::since))
                .toList();
    }
}
