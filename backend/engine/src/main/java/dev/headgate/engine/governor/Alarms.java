package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.AlarmBoard.Condition;
import dev.headgate.engine.governor.AlarmBoard.Damping;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.spi.Alarm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds what a person should know of, and puts it into words: callers who wait while the pool may not grow or who were turned away, a
 * database that does not answer or cannot be reached, policies that alarm or fail. The {@link AlarmBoard} decides when a condition
 * becomes an alarm. Pure.
 */
final class Alarms {

    /** The policy whose ceiling people know by what it caps. */
    private static final String LATENCY_CAP = "latency-cap";

    /** Its alarm. */
    private static final String CAP_UNATTAINABLE = "cap-unattainable";

    /** Where a pool refuses all requests because it drains. */
    static final String DRAINING = "draining";

    /** Where a pool holds all requests. */
    static final String PAUSED = "paused";

    private Alarms() {}

    /**
     * The conditions that hold for a database at the end of a window, also one without a pool. It counts as unreachable if one of its
     * pools cannot connect, or whoever watches it.
     */
    static List<Condition> of(Picture picture) {
        String database = picture.database();
        List<Condition> all = new ArrayList<>();
        for (Alarm alarm : picture.common().limits().alarms()) {
            all.add(ofPolicy(database, alarm, Reach.DATABASE));
        }
        picture.common().degraded().ifPresent(why -> all.add(degraded(database, why, Reach.DATABASE)));
        picture.discrepancy().ifPresent(what -> all.add(differs(database, what)));
        Severity severity = picture.pools().isEmpty() ? Severity.WARNING : Severity.CRITICAL;
        picture.pools().stream()
                .flatMap(pool -> pool.links().failure().stream())
                .findFirst()
                .or(picture::unreachable)
                .ifPresent(why -> all.add(unreachable(database, why, severity)));
        return all;
    }

    /**
     * The conditions that hold for a pool at the end of a window.
     *
     * @param wantedMore whether its callers wait and get no more connections
     */
    static List<Condition> of(Picture picture, Picture.Pool pool, boolean wantedMore) {
        String domain = pool.domain();
        String database = picture.database();
        List<Condition> all = new ArrayList<>();
        if (wantedMore || pool.waitsForTurn()) {
            ofWaiters(picture, pool).ifPresent(all::add);
        }
        for (Alarm alarm : pool.verdict().limits().alarms()) {
            all.add(ofPolicy(domain, alarm, Reach.DOMAIN));
        }
        for (Alarm alarm : picture.common().limits().alarms()) {
            all.add(ofPolicy(database, alarm, Reach.DATABASE));
        }
        pool.verdict()
                .degraded()
                .map(why -> degraded(domain, why, Reach.DOMAIN))
                .or(() -> picture.common().degraded().map(why -> degraded(database, why, Reach.DATABASE)))
                .ifPresent(all::add);
        picture.discrepancy().ifPresent(what -> all.add(differs(database, what)));
        if (pool.links().overBudget()) {
            String detail = "it cannot open a connection while %s are open or being closed"
                    .formatted(Sentences.connections(picture.budget()));
            all.add(heldBack(domain, atBudget(database, detail)));
        }
        if (pool.window().refused() > 0 && pool.passage() != Rules.Passage.CLOSED) {
            String where = pool.passage() == Rules.Passage.PAUSED
                    ? " while paused"
                    : limit(picture, pool).map(limit -> " at " + limit.at).orElse("");
            all.add(ofDomain("refusing", refusing(domain, where), Severity.WARNING, Damping.MEASURED));
        }
        if (pool.passage() == Rules.Passage.PAUSED) {
            boolean waits = pool.gate().waiting() > 0;
            Severity severity = waits ? Severity.WARNING : Severity.NOTICE;
            all.add(ofDomain(PAUSED, paused(domain, waits), severity, Damping.NONE));
        }
        if (pool.passage() == Rules.Passage.CLOSED) {
            all.add(ofDomain(DRAINING, draining(domain), Severity.WARNING, Damping.NONE));
        }
        pool.links().raised().forEach((code, alarm) -> {
            // what is no more than a warning was measured, and may come again
            Damping damping = alarm.severity() == Severity.CRITICAL ? Damping.PROMPT : Damping.MEASURED;
            all.add(new Condition(code, alarm.words(), alarm.severity(), Reach.SERVICE, damping));
        });
        pool.links().failure().ifPresent(why -> all.add(unreachable(database, why, Severity.CRITICAL)));
        return all;
    }

    /**
     * Callers wait, and the pool may not grow for them. If the database answers nothing, that is the reason, and not what
     * bounds the pool. In doubt neither is said: an alarm names the database only after twice the usual silence.
     */
    private static Optional<Condition> ofWaiters(Picture picture, Picture.Pool pool) {
        if (pool.silentNanos() >= 2 * pool.usualSilenceNanos()) {
            return Optional.of(ofDomain(
                    "no-answer",
                    Words.been(
                            "no answer",
                            pool.domain(),
                            "without an answer from " + picture.database(),
                            "none came on any of the %s in use"
                                    .formatted(
                                            Sentences.connections(pool.inputs().inUse()))),
                    Severity.WARNING,
                    Damping.MEASURED));
        }
        return limit(picture, pool).map(limit -> heldBack(pool.domain(), limit));
    }

    /**
     * What holds a pool back.
     *
     * @param code of the alarm while callers wait for it
     * @param at what follows "held at": "its latency cap"
     */
    private record Limit(String code, String label, String at, String detail) {}

    /** Empty where the database is silent, and where the pool is held back by what has an alarm of its own. */
    private static Optional<Limit> limit(Picture picture, Picture.Pool pool) {
        if (pool.silentNanos() >= pool.usualSilenceNanos()) {
            return Optional.empty();
        }
        Bound bound = Bound.of(picture, pool);
        String policy = bound.answer().map(Answer::policy).orElse("governor");
        boolean common = bound.answer().filter(Answer::isOfDatabase).isPresent();
        boolean capped = policy.equals(LATENCY_CAP);
        String database = picture.database();
        int permits = pool.gate().permits();
        String size = Sentences.connections(pool.inputs().size());
        return switch (bound.by()) {
            case RATE ->
                Optional.of(new Limit(
                        "at-rate",
                        "at rate",
                        common ? "the rate limit of " + database : "its rate limit",
                        policy + " sets it"));
            case CEILING ->
                Optional.of(
                        capped
                                ? atCap("its latency cap", "it may hold " + Sentences.connections(permits))
                                : atCeiling("its ceiling of %d by %s".formatted(permits, policy)));
            case DATABASE ->
                Optional.of(
                        capped
                                ? atCap("the latency cap of " + database, "it holds " + size)
                                : atCeiling("%s by %s of %s".formatted(size, policy, database)));
            case BUDGET -> Optional.of(atBudget(database, "it holds " + size));
            case PAUSED, DRAINING, UNREACHABLE -> Optional.empty(); // alarms of their own
            case NOTHING -> Optional.empty(); // connections are on their way
        };
    }

    private static Limit atCap(String at, String detail) {
        return new Limit("at-ceiling", "at cap", at, detail);
    }

    private static Limit atCeiling(String at) {
        return new Limit("at-ceiling", "at ceiling", at, "");
    }

    private static Limit atBudget(String database, String detail) {
        return new Limit("budget-exhausted", "budget used up", "the budget of " + database, detail);
    }

    // ---- what a pool's state is called also before a window has ended with it

    /** @param where " at its latency cap"; empty where nothing is known to hold the pool back */
    static Words refusing(String domain, String where) {
        return Words.been("refusing", domain, "turning callers away" + where, "");
    }

    static Words paused(String domain, boolean waits) {
        return Words.been(PAUSED, domain, waits ? "paused with requests waiting" : "paused", "");
    }

    static Words draining(String domain) {
        return Words.been(DRAINING, domain, "draining and refusing requests", "");
    }

    // ---- conditions

    private static Condition heldBack(String domain, Limit limit) {
        Words words = Words.been(limit.label, domain, "held at " + limit.at, limit.detail);
        return ofDomain(limit.code, words, Severity.WARNING, Damping.PATIENT);
    }

    private static Condition degraded(String subject, String why, Reach reach) {
        Words words = Words.been("degraded", subject, "under a policy that fails", why);
        return new Condition("degraded", words, Severity.WARNING, reach, Damping.PROMPT);
    }

    private static Condition ofPolicy(String subject, Alarm alarm, Reach reach) {
        String code = alarm.code();
        String state = code.equals(CAP_UNATTAINABLE)
                ? "over its latency cap even at its floor"
                : "under the alarm “%s”".formatted(code);
        Words words = Words.been(code.replace('-', ' '), subject, state, alarm.message());
        return new Condition(code, words, Severity.CRITICAL, reach, Damping.MEASURED);
    }

    private static Condition ofDomain(String code, Words words, Severity severity, Damping damping) {
        return new Condition(code, words, severity, Reach.DOMAIN, damping);
    }

    private static Condition differs(String database, String what) {
        String count = "The count of open connections to " + database;
        return ofDatabase("ledger-differs", Words.been("ledger differs", count, "wrong", what), Severity.CRITICAL);
    }

    private static Condition unreachable(String database, String why, Severity severity) {
        return ofDatabase("unreachable", Words.been("unreachable", database, "unreachable", why), severity);
    }

    private static Condition ofDatabase(String code, Words words, Severity severity) {
        return new Condition(code, words, severity, Reach.DATABASE, Damping.PROMPT);
    }
}
