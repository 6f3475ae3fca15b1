package dev.headgate.server.alarms;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Severity;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of an alarm from its beginning to its end. What people said of it is in the store only.
 *
 * @param domains of an alarm of the service that stood on some domains only: these, in order of their names; else none
 * @param past the message once it has ended
 * @param severity the last one
 * @param worst the highest so far
 * @param lastSeen when its condition last held
 * @param clearing the same, while the condition does not hold
 * @param cleared null while it is open
 * @param cutOff whether Headgate ended before the alarm did
 * @param times how often the condition came
 * @param timesBefore those of an earlier run of Headgate
 */
record Observed(
        UUID id,
        AlarmKey key,
        List<String> domains,
        String message,
        String past,
        String detail,
        Severity severity,
        Severity worst,
        Instant since,
        Instant lastSeen,
        @Nullable Instant clearing,
        @Nullable Instant cleared,
        boolean cutOff,
        int times,
        int timesBefore) {

    Observed {
        domains = List.copyOf(domains);
    }

    static Observed first(UUID id, AlarmKey key, Standing standing, Instant now) {
        RaisedAlarm alarm = standing.alarm();
        Severity severity = alarm.severity();
        return new Observed(
                        id, key, List.of(), "", "", "", severity, severity, alarm.since(), now, null, null, false, 0, 0)
                .seen(standing, now);
    }

    /** The same alarm in a new run of Headgate, where its condition holds again. */
    Observed again() {
        return new Observed(
                id, key, domains, message, past, detail, severity, worst, since, lastSeen, null, null, false, times,
                times);
    }

    Observed seen(Standing standing, Instant now) {
        RaisedAlarm alarm = standing.alarm();
        return new Observed(
                id,
                key,
                both(domains, standing.domains()),
                AlarmKey.clean(alarm.sentence()),
                AlarmKey.clean(alarm.past()),
                AlarmKey.clean(alarm.words().detail()),
                alarm.severityNow(),
                worst.compareTo(alarm.severity()) >= 0 ? worst : alarm.severity(),
                since,
                alarm.clearing().orElse(now),
                alarm.clearing().orElse(null),
                null,
                false,
                Math.max(times, timesBefore + alarm.times()),
                timesBefore);
    }

    Observed ended(Instant now) {
        return ended(now, false);
    }

    /** It ended when it was last seen: Headgate ended then, and the condition did not hold afterwards. */
    Observed endedUnseen() {
        return ended(lastSeen, true);
    }

    /** A past alarm is known by what was worst. */
    private Observed ended(Instant when, boolean cut) {
        return new Observed(
                id,
                key,
                domains,
                past,
                past,
                detail,
                worst,
                worst,
                since,
                lastSeen,
                null,
                when,
                cut,
                times,
                timesBefore);
    }

    /** Whether a reader should learn of this at once, and not with the next regular writing. */
    boolean isNews(Observed before) {
        return times != before.times
                || severity != before.severity
                || (clearing == null) != (before.clearing == null)
                || !domains.equals(before.domains);
    }

    private static List<String> both(List<String> known, Set<String> seen) {
        if (known.containsAll(seen)) {
            return known;
        }
        Set<String> both = new TreeSet<>(known);
        both.addAll(seen);
        return List.copyOf(both);
    }
}
