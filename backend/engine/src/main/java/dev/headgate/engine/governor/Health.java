package dev.headgate.engine.governor;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The state of a pool or of a database in one word, one sentence and one severity. Every page, list, console and alert shows this one,
 * so that no two of them contradict each other. Pure: the same status gives the same health.
 *
 * @param code "fine", "idle", "refusing", or the code of the alarm that matters most
 * @param label the state in one to three words
 * @param sentence without a full stop. "until 12 s ago" may follow if {@code until} is given, or else "for 2 min" if {@code since} is
 * @param since when the state began; empty for the states that are no alarms
 * @param until when it ended, of one that is over
 * @param reach whose state it is; pools with the same trouble have the same sentence if it is not their own
 */
public record Health(
        String code,
        String label,
        Severity severity,
        String sentence,
        Optional<Instant> since,
        Optional<Instant> until,
        Reach reach) {

    /**
     * Known alarms. An alarm that holds matters more than any whose condition is gone. Of several with the same severity, the first in
     * this order matters most: what stops all, what stops a pool, what holds it back. An alarm of a policy's own stands between.
     */
    private static final List<String> ORDER = List.of(
            "heap-full",
            "thread-failed",
            "wire-stalled",
            "unreachable",
            "ledger-differs",
            Alarms.DRAINING,
            Alarms.PAUSED,
            "degraded",
            "no-answer",
            "refusing",
            "store-away",
            "cap-unattainable",
            "a policy's own",
            "budget-exhausted",
            "at-ceiling",
            "at-rate",
            "convoy");

    private static final Comparator<RaisedAlarm> WORST_FIRST = Comparator.comparing(
                    (RaisedAlarm alarm) -> alarm.clearing().isPresent())
            .thenComparing(RaisedAlarm::severityNow, Comparator.reverseOrder())
            .thenComparingInt(alarm -> place(alarm.code()))
            .thenComparing(RaisedAlarm::since);

    /** The health of a pool. */
    public static Health of(PoolStatus pool) {
        return worst(pool.alarms().stream().filter(alarm -> !isOvertaken(pool, alarm)))
                .orElseGet(() -> withoutAlarm(pool));
    }

    /** The health of a database, by its own alarms. */
    public static Health ofDatabase(String database, List<RaisedAlarm> alarms) {
        return worst(alarms.stream())
                .orElseGet(() -> quiet("fine", Severity.FINE, is("fine", database), Reach.DATABASE));
    }

    private static Optional<Health> worst(Stream<RaisedAlarm> alarms) {
        return alarms.min(WORST_FIRST).map(Health::ofAlarm);
    }

    /** Where somebody has stopped a pool, what held it back before says nothing any more. */
    private static boolean isOvertaken(PoolStatus pool, RaisedAlarm alarm) {
        return pool.state() != PoolStatus.State.OPEN && place(alarm.code()) >= place("cap-unattainable");
    }

    private static int place(String code) {
        int known = ORDER.indexOf(code);
        return known >= 0 ? known : ORDER.indexOf("a policy's own");
    }

    private static Health ofAlarm(RaisedAlarm alarm) {
        return new Health(
                alarm.code(),
                alarm.label(),
                alarm.severityNow(),
                alarm.sentence(),
                Optional.of(alarm.since()),
                alarm.until(),
                alarm.reach());
    }

    /** Also of what no window has ended with. */
    private static Health withoutAlarm(PoolStatus pool) {
        String domain = pool.domain();
        if (pool.refusedPerSecond() > 0) {
            return quiet("refusing", Severity.WARNING, Alarms.refusing(domain, ""), Reach.DOMAIN);
        }
        if (pool.state() == PoolStatus.State.DRAINING) {
            return quiet(Alarms.DRAINING, Severity.WARNING, Alarms.draining(domain), Reach.DOMAIN);
        }
        if (pool.state() == PoolStatus.State.PAUSED) {
            return quiet(Alarms.PAUSED, Severity.NOTICE, Alarms.paused(domain, false), Reach.DOMAIN);
        }
        boolean idle = pool.arrivalsPerSecond() == 0 && pool.inUse() == 0 && pool.waiting() == 0;
        String state = idle ? "idle" : "fine";
        return quiet(state, Severity.FINE, is(state, domain), Reach.DOMAIN);
    }

    private static Words is(String state, String subject) {
        return new Words(state, subject + " is " + state, subject + " was " + state, "");
    }

    private static Health quiet(String code, Severity severity, Words words, Reach reach) {
        return new Health(code, words.label(), severity, words.sentence(), Optional.empty(), Optional.empty(), reach);
    }
}
