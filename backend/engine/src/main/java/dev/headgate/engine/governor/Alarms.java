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
 * Finds what a person should know of: callers who wait while the pool may not grow or who were turned away, a database that does not
 * answer or cannot be reached, policies that alarm or fail. The {@link AlarmBoard} decides when a condition becomes an alarm. Pure.
 */
final class Alarms {

    private Alarms() {}

    /**
     * The conditions that hold for a pool at the end of a window.
     *
     * @param wantedMore whether its callers wait and get no more connections
     */
    static List<Condition> of(Picture picture, Picture.Pool pool, boolean wantedMore) {
        List<Condition> all = new ArrayList<>();
        if (wantedMore || pool.waitsForTurn()) {
            ofWaiters(picture, pool).ifPresent(all::add);
        }
        for (Alarm alarm : pool.verdict().limits().alarms()) {
            all.add(ofPolicy(alarm, Reach.DOMAIN));
        }
        for (Alarm alarm : picture.common().limits().alarms()) {
            all.add(ofPolicy(alarm, Reach.DATABASE));
        }
        pool.verdict()
                .degraded()
                .map(why -> warning("degraded", why, Reach.DOMAIN, Damping.PROMPT))
                .or(() -> picture.common()
                        .degraded()
                        .map(why -> warning("degraded", why, Reach.DATABASE, Damping.PROMPT)))
                .ifPresent(all::add);
        picture.discrepancy().ifPresent(what -> all.add(critical("ledger-differs", what, Reach.DATABASE)));
        if (pool.links().overBudget()) {
            all.add(heldBack(
                    "budget-exhausted",
                    "%s cannot open a connection: the budget of %s is used up"
                            .formatted(pool.domain(), Sentences.connections(picture.budget()))));
        }
        if (pool.window().refused() > 0 && pool.passage() != Rules.Passage.CLOSED) {
            all.add(warning("refusing", pool.domain() + " has turned callers away", Reach.DOMAIN, Damping.MEASURED));
        }
        if (pool.passage() == Rules.Passage.PAUSED) {
            all.add(warning("paused", pool.domain() + " is paused", Reach.DOMAIN, Damping.NONE));
        }
        if (pool.passage() == Rules.Passage.CLOSED) {
            all.add(warning(
                    "draining", pool.domain() + " is draining and refuses new requests", Reach.DOMAIN, Damping.NONE));
        }
        pool.links()
                .raised()
                .forEach((code, alarm) ->
                        all.add(new Condition(code, alarm.message(), alarm.severity(), Reach.SERVICE, Damping.PROMPT)));
        pool.links()
                .failure()
                .ifPresent(why -> all.add(critical(
                        "unreachable", "%s cannot be reached: %s".formatted(picture.database(), why), Reach.DATABASE)));
        return all;
    }

    /**
     * Callers wait, and the pool may not grow for them. If the database answers nothing, that is the reason, and not what
     * bounds the pool. In doubt neither is said: an alarm names the database only after twice the usual silence.
     */
    private static Optional<Condition> ofWaiters(Picture picture, Picture.Pool pool) {
        if (pool.silentNanos() >= 2 * pool.usualSilenceNanos()) {
            return Optional.of(warning(
                    "no-answer",
                    "%s answers none of the requests on the %s that %s has in use"
                            .formatted(
                                    picture.database(),
                                    Sentences.connections(pool.inputs().inUse()),
                                    pool.domain()),
                    Reach.DOMAIN,
                    Damping.MEASURED));
        }
        if (pool.silentNanos() >= pool.usualSilenceNanos()) {
            return Optional.empty();
        }
        Bound bound = Bound.of(picture, pool);
        String held = pool.domain() + " has been held at ";
        String size = Sentences.connections(pool.inputs().size());
        return switch (bound.by()) {
            case RATE -> Optional.of(heldBack("at-rate", held + "its rate by " + bound.who()));
            case CEILING ->
                Optional.of(heldBack(
                        "at-ceiling", held + "its ceiling of " + pool.gate().permits() + " by " + bound.who()));
            case DATABASE -> Optional.of(heldBack("at-ceiling", held + size + " by " + bound.who()));
            case BUDGET ->
                Optional.of(heldBack(
                        "budget-exhausted", held + size + " because " + picture.database() + " has none left to give"));
            case PAUSED, DRAINING, UNREACHABLE -> Optional.empty(); // alarms of their own
            case NOTHING -> Optional.empty(); // connections are on their way
        };
    }

    private static Condition heldBack(String code, String message) {
        return warning(code, message, Reach.DOMAIN, Damping.PATIENT);
    }

    private static Condition warning(String code, String message, Reach reach, Damping damping) {
        return new Condition(code, message, Severity.WARNING, reach, damping);
    }

    private static Condition ofPolicy(Alarm alarm, Reach reach) {
        return new Condition(alarm.code(), alarm.message(), Severity.CRITICAL, reach, Damping.MEASURED);
    }

    private static Condition critical(String code, String message, Reach reach) {
        return new Condition(code, message, Severity.CRITICAL, reach, Damping.PROMPT);
    }
}
