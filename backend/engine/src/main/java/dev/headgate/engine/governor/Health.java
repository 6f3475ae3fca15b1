package dev.headgate.engine.governor;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The state of a pool in one word, one sentence and one severity. Every page, list, console and alert shows this one, so that no two of
 * them contradict each other. Pure: the same status gives the same health.
 *
 * @param code "fine", "idle", "refusing", or the code of the alarm that matters most
 * @param label the state in one to three words
 * @param sentence without a full stop. If {@code since} is given, "for 2 min" may follow it
 * @param since when the state began; empty for the states that are no alarms
 * @param reach whose state it is; pools with the same trouble have the same sentence if it is not their own
 */
public record Health(
        String code, String label, Severity severity, String sentence, Optional<Instant> since, Reach reach) {

    /** From harmless to worst. */
    public enum Severity {
        FINE,
        /** Somebody wants it so, and nobody suffers. */
        NOTICE,
        WARNING,
        CRITICAL
    }

    /**
     * Known alarms. Of several that stand with the same severity, the first in this order matters most: what stops all, what
     * stops a pool, what holds it back. An alarm of a policy's own stands between.
     */
    private static final List<String> ORDER = List.of(
            "heap-full",
            "thread-failed",
            "wire-stalled",
            "unreachable",
            "ledger-differs",
            "draining",
            "paused",
            "degraded",
            "no-answer",
            "cap-unattainable",
            "a policy's own",
            "refusing",
            "budget-exhausted",
            "at-ceiling",
            "at-rate",
            "convoy");

    /** The policy whose ceiling people know by what it caps. */
    private static final String LATENCY_CAP = "latency-cap";

    private static final Comparator<RaisedAlarm> WORST_FIRST = Comparator.comparing(
                    RaisedAlarm::severity, Comparator.reverseOrder())
            .thenComparingInt(alarm -> place(alarm.code()))
            .thenComparing(RaisedAlarm::since);

    /** The health of a pool. */
    public static Health of(PoolStatus pool) {
        return pool.alarms().stream()
                .filter(alarm -> !isOvertaken(pool, alarm))
                .min(WORST_FIRST)
                .map(alarm -> ofAlarm(pool, alarm))
                .orElseGet(() -> withoutAlarm(pool));
    }

    /** Where somebody has stopped a pool, what held it back before says nothing any more. */
    private static boolean isOvertaken(PoolStatus pool, RaisedAlarm alarm) {
        return pool.state() != PoolStatus.State.OPEN && place(alarm.code()) >= place("cap-unattainable");
    }

    private static int place(String code) {
        int known = ORDER.indexOf(code);
        return known >= 0 ? known : ORDER.indexOf("a policy's own");
    }

    private static Health ofAlarm(PoolStatus pool, RaisedAlarm alarm) {
        String domain = pool.domain();
        String database = pool.database();
        String subject = alarm.reach() == Reach.DATABASE ? database : domain;
        return switch (alarm.code()) {
            case "heap-full" -> of(alarm, "memory short", "Headgate has been short of memory");
            case "thread-failed" -> of(alarm, "part failed", "A part of Headgate has been failing");
            case "wire-stalled" -> of(alarm, "wire port stalled", "The wire port has not served its clients");
            case "unreachable" -> of(alarm, "unreachable", database + " has been unreachable");
            case "ledger-differs" ->
                of(alarm, "ledger differs", "The count of open connections to %s has been wrong".formatted(database));
            case "draining" -> of(alarm, "draining", domain + " has been draining and refusing requests");
            case "paused" -> paused(pool, alarm);
            case "degraded" -> of(alarm, "degraded", subject + " has had a policy that fails");
            case "no-answer" -> of(alarm, "no answer", "%s has had no answer from %s".formatted(domain, database));
            case "cap-unattainable" ->
                of(alarm, "cap unattainable", subject + " has been over its latency cap even at its floor");
            case "refusing" -> of(alarm, "refusing", domain + " has turned callers away" + heldAt(pool));
            case "budget-exhausted" ->
                of(alarm, "budget used up", "%s has been waiting for the budget of %s".formatted(domain, database));
            case "at-ceiling" -> atCeiling(pool, alarm);
            case "convoy" -> of(alarm, "convoy", convoy(alarm.message(), domain));
            case "at-rate" -> of(alarm, "at rate", domain + " has had requests waiting for its rate limit");
            default ->
                of(alarm, alarm.code().replace('-', ' '), "%s has had the alarm “%s”".formatted(subject, alarm.code()));
        };
    }

    /** All domains of a convoy have one sentence: its alarm begins with their names. */
    private static String convoy(String message, String domain) {
        int names = message.indexOf(" on ");
        return names < 0
                ? domain + " has had standstills together with other domains"
                : message.substring(0, names) + " have stood still together";
    }

    /** Someone paused it. That is worth a warning only while requests wait, or time out. */
    private static Health paused(PoolStatus pool, RaisedAlarm alarm) {
        boolean waits = pool.waiting() > 0;
        boolean refuses = pool.refusedPerSecond() > 0;
        return new Health(
                alarm.code(),
                "paused",
                waits || refuses ? Severity.WARNING : Severity.NOTICE,
                pool.domain() + " has been paused" + (waits ? " with requests waiting" : "")
                        + (refuses ? " and turning callers away" : ""),
                Optional.of(alarm.since()),
                Reach.DOMAIN);
    }

    /** " at its latency cap": what holds a pool back whose callers are turned away; empty where nothing does. */
    private static String heldAt(PoolStatus pool) {
        return pool.alarms().stream()
                .filter(alarm -> alarm.clearing().isEmpty())
                .map(alarm -> switch (alarm.code()) {
                    case "budget-exhausted" -> " at the budget of " + pool.database();
                    case "at-ceiling" -> " at " + ceiling(pool);
                    case "at-rate" -> " at its rate limit";
                    default -> "";
                })
                .filter(at -> !at.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static Health atCeiling(PoolStatus pool, RaisedAlarm alarm) {
        boolean capped = binding(pool).map(Answer::policy).orElse("").equals(LATENCY_CAP);
        return of(
                alarm,
                capped ? "at cap" : "at ceiling",
                "%s has been held at %s".formatted(pool.domain(), ceiling(pool)));
    }

    /** "its latency cap", "its ceiling of 7 by min-max". */
    private static String ceiling(PoolStatus pool) {
        Optional<Answer> binding = binding(pool);
        boolean common = binding.filter(Answer::isOfDatabase).isPresent();
        String policy = binding.map(Answer::policy).orElse("");
        if (policy.equals(LATENCY_CAP)) {
            return common ? "the latency cap of " + pool.database() : "its latency cap";
        }
        String at = common ? Sentences.connections(pool.size()) : "its ceiling of " + pool.ceiling();
        return policy.isEmpty() ? at : at + " by " + policy + (common ? " of " + pool.database() : "");
    }

    private static Optional<Answer> binding(PoolStatus pool) {
        return pool.limitedBy().answer().or(pool::binding);
    }

    private static Health of(RaisedAlarm alarm, String label, String sentence) {
        Severity severity = alarm.severity() == PoolStatus.Severity.CRITICAL ? Severity.CRITICAL : Severity.WARNING;
        return new Health(alarm.code(), label, severity, sentence, Optional.of(alarm.since()), alarm.reach());
    }

    private static Health withoutAlarm(PoolStatus pool) {
        String domain = pool.domain();
        if (pool.refusedPerSecond() > 0) {
            return quiet("refusing", "refusing", Severity.WARNING, domain + " has turned callers away");
        }
        if (pool.state() == PoolStatus.State.DRAINING) {
            return quiet("draining", "draining", Severity.WARNING, domain + " is draining and refuses requests");
        }
        if (pool.state() == PoolStatus.State.PAUSED) {
            return quiet("paused", "paused", Severity.NOTICE, domain + " is paused");
        }
        if (pool.arrivalsPerSecond() == 0 && pool.inUse() == 0 && pool.waiting() == 0) {
            return quiet("idle", "idle", Severity.FINE, domain + " is idle");
        }
        return quiet("fine", "fine", Severity.FINE, domain + " is fine");
    }

    private static Health quiet(String code, String label, Severity severity, String sentence) {
        return new Health(code, label, severity, sentence, Optional.empty(), Reach.DOMAIN);
    }
}
