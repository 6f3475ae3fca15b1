package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.spi.Alarm;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Looks for what a person should know of, once per window and for every domain: callers who wait while the pool may not grow,
 * a database that does not answer or cannot be reached, policies that alarm or fail. Each condition that holds is shown to the
 * domain's {@link AlarmBoard}, which decides when it has held or been gone for long enough; what it raises or clears is told as
 * a decision.
 *
 * <p>It changes nothing but the boards, so that an alarm can never be the cause of what it tells of. Governor only.
 */
final class Alarms {

    private static final long AT_CEILING_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A database that sends nothing for less is not remarkable, however fast it was. Twice as long is an alarm. */
    private static final long SHORTEST_SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final List<String> PROMPTLY_CLEARED = List.of("degraded", "unreachable", "no-answer", "paused");

    private final DatabaseState database;
    private final Narrator narrator;

    Alarms(DatabaseState database, Narrator narrator) {
        this.database = database;
        this.narrator = narrator;
    }

    /** A window has ended: notes what holds now, and raises and clears what follows from it. */
    void windowEnded(long now, Instant wall) {
        for (DomainState state : database.domains) {
            if (state.wantedMore || state.waitsForTurn()) {
                noteWaiters(state, now, wall);
            }
            for (Alarm alarm : state.active.combined().alarms()) {
                hold(state, alarm.code(), alarm.message(), Severity.CRITICAL, 0, now, wall);
            }
            for (Alarm alarm : database.active.combined().alarms()) {
                hold(state, alarm.code(), alarm.message(), Severity.CRITICAL, 0, now, wall);
            }
            state.active
                    .degraded()
                    .or(database.active::degraded)
                    .ifPresent(why -> hold(state, "degraded", why, Severity.WARNING, 0, now, wall));
            database.discrepancy()
                    .ifPresent(what -> hold(state, "ledger-differs", what, Severity.CRITICAL, 0, now, wall));
            if (state.pool.isOverBudget()) {
                hold(
                        state,
                        "budget-exhausted",
                        "%s cannot open a connection: the budget of %d connections is used up"
                                .formatted(state.domain(), database.budget()),
                        Severity.WARNING,
                        AT_CEILING_PATIENCE_NANOS,
                        now,
                        wall);
            }
            if (state.passage == Rules.Passage.PAUSED) {
                hold(state, "paused", state.domain() + " is paused", Severity.WARNING, 0, now, wall);
            }
            state.pool.raised().forEach((code, message) -> hold(state, code, message, Severity.CRITICAL, 0, now, wall));
            noteReachability(state, now, wall);
            List<AlarmBoard.Change> cleared = state.alarms.expire(now, PROMPTLY_CLEARED);
            String of = state.domain() + (state.alarms.raised().isEmpty() ? " recovered: " : ": ");
            for (AlarmBoard.Change change : cleared) {
                narrator.tell(
                        state,
                        Kind.CLEARED,
                        "governor",
                        "%s%s ended after %d s."
                                .formatted(
                                        of,
                                        change.alarm().code(),
                                        Duration.between(change.alarm().since(), wall)
                                                .toSeconds()));
            }
        }
    }

    /**
     * Callers wait, and the pool may not grow for them. Where the database answers nothing that is why, and not who bounds the
     * pool. How long it may be silent follows from how long its requests took of late.
     */
    private void noteWaiters(DomainState state, long now, Instant wall) {
        long silent = state.silentNanos(now);
        long usual = Math.max(
                SHORTEST_SILENCE_NANOS,
                silent < SHORTEST_SILENCE_NANOS
                        ? 0
                        : state.rolling.summary().latency().p99Nanos());
        if (silent >= 2 * usual) {
            hold(
                    state,
                    "no-answer",
                    "%s answers none of the requests on the %s that %s has in use"
                            .formatted(
                                    database.name,
                                    Narrator.connections(state.inputs().inUse()),
                                    state.domain()),
                    Severity.WARNING,
                    0,
                    now,
                    wall);
        } else if (silent < usual) {
            Bound bound = Bound.of(database, state);
            String domain = state.domain();
            switch (bound.by()) {
                case RATE ->
                    heldBack(state, "at-rate", domain + " has been held at its rate by " + bound.who(), now, wall);
                case CEILING ->
                    heldBack(
                            state,
                            "at-ceiling",
                            domain + " has been held at its ceiling of "
                                    + state.pool.gate().permits() + " by " + bound.who(),
                            now,
                            wall);
                case DATABASE ->
                    heldBack(
                            state,
                            "at-ceiling",
                            domain + " has been held at "
                                    + Narrator.connections(state.inputs().size()) + " by " + bound.who(),
                            now,
                            wall);
                case BUDGET ->
                    heldBack(
                            state,
                            "budget-exhausted",
                            domain + " has been held at "
                                    + Narrator.connections(state.inputs().size()) + " because " + database.name
                                    + " has none left to give",
                            now,
                            wall);
                case PASSAGE, UNREACHABLE -> {} // told by alarms of their own
                case NOTHING -> {} // connections are on their way
            }
        }
    }

    /** Callers wait: an alarm once they have for a second. */
    private void heldBack(DomainState state, String code, String message, long now, Instant wall) {
        hold(state, code, message, Severity.WARNING, AT_CEILING_PATIENCE_NANOS, now, wall);
    }

    private void hold(
            DomainState state, String code, String message, Severity severity, long patience, long now, Instant wall) {
        state.alarms
                .holds(code, message, severity, patience, now, wall)
                .ifPresent(change -> narrator.tell(
                        state,
                        Kind.ALARM,
                        code,
                        Narrator.sentence(change.alarm().message())));
    }

    private void noteReachability(DomainState state, long now, Instant wall) {
        state.pool
                .failure()
                .ifPresent(failure -> hold(
                        state,
                        "unreachable",
                        "%s cannot be reached: %s"
                                .formatted(database.name, failure.cause().getMessage()),
                        Severity.CRITICAL,
                        0,
                        now,
                        wall));
        boolean unreachable = state.pool.failure().isPresent();
        if (unreachable != state.unreachable) {
            state.unreachable = unreachable;
            narrator.tell(
                    state,
                    unreachable ? Kind.UNREACHABLE : Kind.REACHABLE,
                    "governor",
                    unreachable
                            ? "%s cannot be reached for %s: %s."
                                    .formatted(
                                            database.name,
                                            state.domain(),
                                            state.pool
                                                    .failure()
                                                    .orElseThrow()
                                                    .cause()
                                                    .getMessage())
                            : "%s can be reached again for %s.".formatted(database.name, state.domain()));
        }
    }
}
