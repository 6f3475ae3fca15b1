package dev.headgate.server.alarms;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * An alarm that stands now, as all that show it show it together.
 *
 * @param domains of an alarm of the service that stands on some domains only: these; else none
 */
record Standing(RaisedAlarm alarm, Set<String> domains) {

    Standing {
        domains = Set.copyOf(domains);
    }

    static Standing ofService(RaisedAlarm alarm) {
        return new Standing(alarm, Set.of());
    }

    static Standing ofDatabase(RaisedAlarm alarm) {
        return new Standing(alarm, Set.of());
    }

    static Standing onDomain(String domain, RaisedAlarm alarm) {
        return new Standing(alarm, alarm.reach() == Reach.SERVICE ? Set.of(domain) : Set.of());
    }

    /** The alarm as this and another pool show it. One of the whole service stays one. */
    Standing and(Standing other) {
        Set<String> both = new HashSet<>();
        if (!domains.isEmpty() && !other.domains.isEmpty()) {
            both.addAll(domains);
            both.addAll(other.domains);
        }
        return new Standing(both(alarm, other.alarm), both);
    }

    private static RaisedAlarm both(RaisedAlarm one, RaisedAlarm other) {
        boolean goneFromBoth = one.clearing().isPresent() && other.clearing().isPresent();
        Optional<Instant> clearing = !goneFromBoth
                ? Optional.empty()
                : one.clearing().get().isAfter(other.clearing().get()) ? one.clearing() : other.clearing();
        return new RaisedAlarm(
                one.code(),
                one.clearing().isPresent() && other.clearing().isEmpty() ? other.words() : one.words(),
                one.since().isBefore(other.since()) ? one.since() : other.since(),
                one.severity().compareTo(other.severity()) >= 0 ? one.severity() : other.severity(),
                one.reach(),
                Math.max(one.times(), other.times()),
                clearing);
    }
}
