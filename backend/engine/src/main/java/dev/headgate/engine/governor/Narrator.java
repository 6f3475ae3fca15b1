package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Puts what the governor did into sentences that an operator understands, and into the decision log. */
final class Narrator {

    private final DatabaseState database;
    private final Time time;
    private final DecisionLog log;

    Narrator(DatabaseState database, Time time, DecisionLog log) {
        this.database = database;
        this.time = time;
        this.log = log;
    }

    /** Tells the last counts of refusals that have ended. Called once per window. */
    void sweep() {
        log.sweep();
    }

    /** The database's own set, as a whole. */
    void tell(Kind kind, String message) {
        log.tell(kind, "governor", message, databaseSubject());
    }

    /** Callers wait, and get nothing more for now. Where some came only since the step began, the next step tells. */
    void held(DomainState state) {
        int permits = state.pool.gate().permits();
        int waiting = state.inputs().waiting();
        if (waiting == 0 || state.size() > state.inputs().size()) {
            return;
        }
        Bound bound = Bound.of(database, state);
        tellOrCount(
                state,
                Kind.HELD,
                bound.who(),
                1,
                () -> bound.by() == Bound.By.RATE
                        ? "%s has %d waiting for their turn, not for a connection. %s"
                                .formatted(
                                        state.domain(), waiting, bound.reason().get())
                        : "%s stays at %d with %d waiting. %s"
                                .formatted(
                                        state.domain(),
                                        permits,
                                        waiting,
                                        bound.reason().get()));
    }

    void refused(DomainState state, long times) {
        Bound bound = Bound.of(database, state);
        tellOrCount(
                state,
                Kind.REFUSED,
                bound.who(),
                times,
                () -> "%s refused requests at %s (%s, %d waiting). %s"
                        .formatted(
                                state.domain(),
                                connections(state.pool.gate().permits()),
                                state.active
                                        .combined()
                                        .whenExhausted()
                                        .mode()
                                        .name()
                                        .toLowerCase(Locale.ROOT),
                                state.inputs().waiting(),
                                bound.reason().get()));
    }

    private void tellOrCount(DomainState state, Kind kind, String policy, long times, Supplier<String> message) {
        int permits = state.pool.gate().permits();
        log.tellOrCount(
                kind,
                policy,
                state.domain(),
                after(state, permits),
                times,
                () -> new DecisionLog.Account(message.get().strip(), subject(state, permits, permits)));
    }

    void limits(DomainState state, DomainState.Standing before, int floor, int ceiling) {
        Giver giver = giver(state);
        tell(
                state,
                Kind.LIMITS,
                giver.who(),
                "%s may hold %d to %d connections, was %d to %d. %s"
                        .formatted(state.domain(), floor, ceiling, before.floor(), before.ceiling(), giver.reason())
                        .strip());
    }

    /** Who gives a pool its ceiling, and why. */
    private record Giver(String who, String reason) {}

    private Giver giver(DomainState state) {
        return state.active.combined().ceiling() <= database.budget()
                ? state.active
                        .binding()
                        .map(answer ->
                                new Giver(answer.plugin(), answer.limits().reason()))
                        .orElse(new Giver("governor", ""))
                : new Giver("allocator", "%s has a budget of %d.".formatted(database.name, database.budget()));
    }

    void lent(DomainState state, int lent) {
        tellOrCount(
                state,
                Kind.LENT,
                "allocator",
                1,
                () -> "%s holds %s that others are owed and do not need now."
                        .formatted(state.domain(), connections(lent)));
    }

    void grew(DomainState state, int from, int to) {
        Decision.Inputs inputs = state.inputs();
        Bounds bounds = after(state, to);
        String grew = "%s grew %d → %d".formatted(state.domain(), from, to);
        String why;
        if (to <= bounds.floor()) {
            why = " to its floor of %d.".formatted(bounds.floor());
        } else if (inputs.inUse() + inputs.waiting() > from) {
            why = " on demand: %d in use, %d waiting, ceiling %d."
                    .formatted(inputs.inUse(), inputs.waiting(), bounds.ceiling());
        } else {
            why = ": it had them, or needed them a moment ago.";
        }
        log.tell(Kind.GREW, "governor", grew + why, subject(state, from, to));
    }

    /**
     * @param reclaimed whether the pool would have kept more, had its siblings not needed them
     * @param heir who is given them, where somebody is
     */
    void shrunk(DomainState state, int from, int to, boolean reclaimed, Optional<DomainState> heir) {
        DecisionLog.Subject subject = subject(state, from, to);
        Bounds bounds = after(state, to);
        if (state.draining) {
            log.tell(
                    Kind.SHRANK,
                    "governor",
                    "%s closes its %s: it is draining.".formatted(state.domain(), connections(from)),
                    subject);
        } else if (reclaimed) {
            log.tell(
                    Kind.RECLAIMED,
                    "allocator",
                    sentence("%s gave %s back%s"
                            .formatted(
                                    state.domain(),
                                    connections(from - to),
                                    heir.map(Narrator::forHeir).orElseGet(this::whyLessIsThere))),
                    subject);
        } else if (to == bounds.ceiling()) {
            Giver giver = giver(state);
            log.tell(
                    Kind.SHRANK,
                    giver.who(),
                    "%s shrank %d → %d. %s"
                            .formatted(state.domain(), from, to, giver.reason())
                            .strip(),
                    subject);
        } else {
            Limits limits = state.active.combined();
            long idleNanos = limits.idleTimeoutNanos() == Long.MAX_VALUE
                    ? Division.DEFAULT_IDLE_TIMEOUT_NANOS
                    : limits.idleTimeoutNanos();
            log.tell(
                    Kind.SHRANK,
                    "governor",
                    bounds.ceiling() < from
                            ? "%s shrank %d → %d: it may hold %d, and nobody needed more than %d for %s s."
                                    .formatted(state.domain(), from, to, bounds.ceiling(), to, seconds(idleNanos))
                            : "%s closed %s that nobody needed for %s s: %d → %d, floor %d."
                                    .formatted(
                                            state.domain(),
                                            connections(from - to),
                                            seconds(idleNanos),
                                            from,
                                            to,
                                            bounds.floor()),
                    subject);
        }
    }

    private static String forHeir(DomainState heir) {
        return " to %s, which has %d waiting%s"
                .formatted(
                        heir.domain(),
                        heir.inputs().waiting(),
                        heir.size() < heir.guaranteed() ? " and is owed " + heir.guaranteed() : "");
    }

    private static String seconds(long nanos) {
        return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
    }

    private String whyLessIsThere() {
        Limits common = database.active.combined();
        return common.ceiling() < database.budget()
                ? ": %s may give %d. %s".formatted(database.name, common.ceiling(), common.reason())
                : "";
    }

    /** What the database may give has changed. */
    void capacity(int before, int after) {
        Optional<Answer> binding = database.active.binding().filter(answer -> after < database.budget());
        log.tell(
                Kind.LIMITS,
                binding.map(Answer::plugin).orElse("governor"),
                "%s may give %s, was %d. %s"
                        .formatted(
                                database.name,
                                connections(after),
                                before,
                                binding.map(answer -> answer.limits().reason()).orElse(""))
                        .strip(),
                databaseSubject(before));
    }

    void complain(DomainState state, ActiveSet.Complaint complaint) {
        tell(
                state,
                kindOf(complaint),
                complaint.plugin(),
                "%s: %s %s; the last good limits stay in force."
                        .formatted(state.domain(), complaint.plugin(), complaint.reason()));
    }

    void complain(ActiveSet.Complaint complaint) {
        log.tell(
                kindOf(complaint),
                complaint.plugin(),
                "%s: %s %s; the last good limits stay in force."
                        .formatted(database.name, complaint.plugin(), complaint.reason()),
                databaseSubject());
    }

    /** Of a set that was only asked what it would answer: nothing in force depends on it. */
    void complainOfPlanned(DomainState state, ActiveSet.Complaint complaint) {
        tell(state, kindOf(complaint), "plan/" + complaint.plugin(), planned(state.domain(), complaint));
    }

    /** The same for a set of the whole database. */
    void complainOfPlanned(ActiveSet.Complaint complaint) {
        log.tell(kindOf(complaint), "plan/" + complaint.plugin(), planned(database.name, complaint), databaseSubject());
    }

    private static String planned(String whose, ActiveSet.Complaint complaint) {
        return "%s: plan/%s %s; what is in force stays as it is."
                .formatted(whose, complaint.plugin(), complaint.reason());
    }

    private static Kind kindOf(ActiveSet.Complaint complaint) {
        return complaint.quarantined() ? Kind.QUARANTINED : Kind.DEGRADED;
    }

    /** @param difference empty where both sets agree again */
    void shadow(DomainState state, Shadow shadow, String difference) {
        Limits limits = shadow.active.combined();
        int permits = state.pool.gate().permits();
        Limits live = state.active.combined();
        Optional<Answer> binding = shadow.active.binding();
        log.tell(
                Kind.SHADOW,
                binding.map(Answer::plugin).orElse("shadow"),
                difference.isEmpty()
                        ? "%s's shadow set agrees with the live one again.".formatted(state.domain())
                        : "%s would %s under its shadow set. %s"
                                .formatted(
                                        state.domain(),
                                        difference,
                                        binding.map(answer -> answer.limits().reason())
                                                .orElse(""))
                                .strip(),
                new DecisionLog.Subject(
                        state.domain(),
                        state.active.revision(),
                        state.inputs(),
                        bounds(live, permits),
                        bounds(limits, permits),
                        shadow.active.answers(),
                        limits));
    }

    void tell(DomainState state, Kind kind, String policy, String message) {
        log.tell(
                kind,
                policy,
                message,
                subject(state, state.standing.target(), state.pool.gate().permits()));
    }

    private DecisionLog.Subject subject(DomainState state, int before, int after) {
        return new DecisionLog.Subject(
                state.domain(),
                state.active.revision(),
                state.inputs(),
                new Bounds(state.standing.floor(), state.standing.ceiling(), before),
                after(state, after),
                state.active.answers(),
                state.active.combined());
    }

    private Bounds after(DomainState state, int size) {
        return bounds(state.active.combined(), size);
    }

    private Bounds bounds(Limits limits, int size) {
        int ceiling = Math.min(database.budget(), limits.ceiling());
        return new Bounds(Math.min(limits.floor(), ceiling), ceiling, size);
    }

    private DecisionLog.Subject databaseSubject() {
        return databaseSubject(database.capacity());
    }

    /** @param before what the database might give until now */
    private DecisionLog.Subject databaseSubject(int before) {
        PoolView sum = database.sum(time.now(), time.nanoTime());
        return new DecisionLog.Subject(
                "",
                database.active.revision(),
                new Decision.Inputs(
                        sum.size(),
                        sum.inUse(),
                        sum.idle(),
                        sum.waiting(),
                        sum.longestWaitNanos(),
                        sum.window().latency().meanNanos(),
                        sum.window().latency().percentileNanos(99)),
                new Bounds(0, before, sum.size()),
                new Bounds(0, database.capacity(), sum.size()),
                database.active.answers(),
                database.active.combined());
    }

    /** With a full stop at its end. */
    static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    static String connections(int count) {
        return count == 1 ? "1 connection" : count + " connections";
    }

    static String plugins(PolicySet set) {
        return set.members().isEmpty()
                ? "no policies"
                : set.members().stream().map(PolicySet.Member::plugin).collect(Collectors.joining(", "));
    }
}
