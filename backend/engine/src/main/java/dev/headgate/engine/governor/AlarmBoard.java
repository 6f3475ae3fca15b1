package dev.headgate.engine.governor;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The alarms of one pool. A condition raises its alarm when it has held for a while and clears it when it has been gone
 * for a while, so that what comes and goes within a second alarms nobody.
 */
final class AlarmBoard {

    private static final long CLEAR_AFTER_NANOS = 3_000_000_000L;

    private static final class Condition {
        final long sinceNanos;
        final Instant since;
        long lastNanos;
        String message = "";
        boolean raised;

        Condition(long nanos, Instant time) {
            sinceNanos = nanos;
            lastNanos = nanos;
            since = time;
        }
    }

    /** A change of the board: an alarm that was raised or cleared. */
    record Change(RaisedAlarm alarm, boolean raised) {}

    private final Map<String, Condition> conditions = new HashMap<>();
    private final Map<String, Severity> severities = new HashMap<>();

    /**
     * The condition holds now.
     *
     * @param patienceNanos how long it must hold before it alarms
     */
    Optional<Change> holds(
            String code, String message, Severity severity, long patienceNanos, long nowNanos, Instant time) {
        Condition condition = conditions.computeIfAbsent(code, c -> new Condition(nowNanos, time));
        condition.lastNanos = nowNanos;
        condition.message = message;
        severities.put(code, severity);
        if (!condition.raised && nowNanos - condition.sinceNanos >= patienceNanos) {
            condition.raised = true;
            return Optional.of(new Change(raised(code, condition), true));
        }
        return Optional.empty();
    }

    /** Clears what has not held for a while; {@code atOnce} names codes that clear without delay when they do not hold. */
    List<Change> expire(long nowNanos, List<String> atOnce) {
        List<Change> cleared = new ArrayList<>();
        conditions.entrySet().removeIf(entry -> {
            long gone = nowNanos - entry.getValue().lastNanos;
            boolean over = atOnce.contains(entry.getKey()) ? gone > 0 : gone >= CLEAR_AFTER_NANOS;
            if (over && entry.getValue().raised) {
                cleared.add(new Change(raised(entry.getKey(), entry.getValue()), false));
            }
            return over;
        });
        return cleared;
    }

    List<RaisedAlarm> raised() {
        List<RaisedAlarm> all = new ArrayList<>();
        conditions.forEach((code, condition) -> {
            if (condition.raised) {
                all.add(raised(code, condition));
            }
        });
        all.sort((a, b) -> a.since().compareTo(b.since()));
        return List.copyOf(all);
    }

    private RaisedAlarm raised(String code, Condition condition) {
        return new RaisedAlarm(
                code, condition.message, condition.since, severities.getOrDefault(code, Severity.WARNING));
    }
}
