package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Puts what the governor did into sentences that an operator understands, and into the decision log. */
final class Narrator {

    /** So many domains are named at most where a message lists who holds connections. */
    private static final int MOST_HOLDERS = 6;

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

    /**
     * What keeps a pool's callers waiting, or turns them away.
     *
     * @param who the policy, {@code allocator} where its siblings have the rest of the budget, {@code governor} where nothing
     *     bounds it and connections are on their way
     */
    record Bound(Bound.By by, String who, String reason) {

        /** What is used up. */
        enum By {
            RATE,
            CEILING,
            BUDGET,
            NOTHING
        }
    }

    /** What bounds a pool now: the one answer for every sentence and alarm. */
    Bound bound(DomainState state) {
        Limits own = state.active.combined();
        Limits common = database.active.combined();
        if (state.isHeldByRate()) {
            ActiveSet slower = own.rate() <= common.rate() ? state.active : database.active;
            Optional<Answer> answer = slower.answers().stream()
                    .filter(each -> each.limits().rate() == slower.combined().rate())
                    .findFirst();
            return new Bound(
                    Bound.By.RATE,
                    answer.map(Answer::plugin).orElse("governor"),
                    answer.map(each -> each.limits().reason()).orElse(""));
        }
        if (own.ceiling() <= state.pool.gate().permits()) {
            return byCeiling(state.active);
        }
        if (database.held() < database.capacity()) {
            return new Bound(
                    Bound.By.NOTHING,
                    "governor",
                    "It may hold more: connections are being opened, or came back too late.");
        }
        if (common.ceiling() < database.budget()) {
            return byCeiling(database.active);
        }
        return new Bound(
                Bound.By.BUDGET,
                "allocator",
                "All %d connections of %s are given to %s.".formatted(database.budget(), database.name, holders()));
    }

    private static Bound byCeiling(ActiveSet set) {
        return new Bound(
                Bound.By.CEILING,
                set.binding().map(Answer::plugin).orElse("governor"),
                set.combined().reason());
    }

    private record Holder(String domain, int size) {}

    /** Who holds most, for whoever reads it: a list of fifty says nothing. */
    private String holders() {
        List<Holder> holders = database.domains.stream()
                .map(state ->
                        new Holder(state.domain(), state.size())) // read once: sizes change while they are sorted by
                .toList();
        String rest = "";
        if (holders.size() > MOST_HOLDERS) {
            rest = " and %d others".formatted(holders.size() - MOST_HOLDERS);
            holders = holders.stream()
                    .sorted(Comparator.comparingInt(Holder::size).reversed())
                    .limit(MOST_HOLDERS)
                    .toList();
        }
        return holders.stream()
                        .map(holder -> holder.domain() + " " + holder.size())
                        .collect(Collectors.joining(", "))
                + rest;
    }

    void held(DomainState state, int waiting) {
        int permits = state.pool.gate().permits();
        Bound bound = bound(state);
        tellOrCount(
                state,
                Kind.HELD,
                bound.who(),
                1,
                () -> bound.by() == Bound.By.RATE
                        ? "%s has %d waiting for their turn, not for a connection. %s"
                                .formatted(state.domain(), waiting, bound.reason())
                        : "%s stays at %d with %d waiting. %s"
                                .formatted(state.domain(), permits, waiting, bound.reason()));
    }

    void refused(DomainState state, Window window) {
        Bound bound = bound(state);
        tellOrCount(
                state,
                Kind.REFUSED,
                bound.who(),
                window.refused(),
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
                                window.waiting(),
                                bound.reason()));
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
        tell(
                state,
                Kind.LIMITS,
                bindingPolicy(state),
                "%s may hold %d to %d connections, was %d to %d. %s"
                        .formatted(
                                state.domain(),
                                floor,
                                ceiling,
                                before.floor(),
                                before.ceiling(),
                                state.active.combined().reason())
                        .strip());
    }

    private static String bindingPolicy(DomainState state) {
        return state.active.binding().map(Answer::plugin).orElse("governor");
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
        int waiting = state.pool.gate().waiting();
        Limits limits = state.active.combined();
        String message = to <= limits.effectiveFloor()
                ? "%s grew %d → %d to its floor of %d.".formatted(state.domain(), from, to, limits.effectiveFloor())
                : "%s grew %d → %d on demand: %d in use, %d waiting, ceiling %d."
                        .formatted(
                                state.domain(),
                                from,
                                to,
                                state.pool.gate().inUse(),
                                waiting,
                                Math.min(database.budget(), limits.ceiling()));
        log.tell(Kind.GREW, "governor", message, subject(state, from, to));
    }

    /** @param reclaimed whether the pool would have kept more, had its siblings not needed them */
    void shrunk(DomainState state, int from, int to, boolean reclaimed) {
        Limits limits = state.active.combined();
        if (state.draining) {
            log.tell(
                    Kind.SHRANK,
                    "governor",
                    "%s closes its %s: it is draining.".formatted(state.domain(), connections(from)),
                    subject(state, from, to));
        } else if (limits.ceiling() < from) {
            log.tell(
                    Kind.SHRANK,
                    bindingPolicy(state),
                    "%s shrank %d → %d. %s"
                            .formatted(state.domain(), from, to, limits.reason())
                            .strip(),
                    subject(state, from, to));
        } else if (reclaimed) {
            log.tell(
                    Kind.RECLAIMED,
                    "allocator",
                    "%s gave %s back%s."
                            .formatted(
                                    state.domain(),
                                    connections(from - to),
                                    needy(state)
                                            .map(other -> " to %s, which has %d waiting%s"
                                                    .formatted(
                                                            other.domain(),
                                                            other.pool.gate().waiting(),
                                                            other.guaranteed() > 0
                                                                    ? " and is owed " + other.guaranteed()
                                                                    : ""))
                                            .orElseGet(this::whyLessIsThere)),
                    subject(state, from, to));
        } else {
            long idleNanos = limits.idleTimeoutNanos() == Long.MAX_VALUE
                    ? Division.DEFAULT_IDLE_TIMEOUT_NANOS
                    : limits.idleTimeoutNanos();
            log.tell(
                    Kind.SHRANK,
                    "governor",
                    "%s closed %s that nobody needed for %d s: %d → %d, floor %d."
                            .formatted(
                                    state.domain(),
                                    connections(from - to),
                                    idleNanos / 1_000_000_000L,
                                    from,
                                    to,
                                    limits.effectiveFloor()),
                    subject(state, from, to));
        }
    }

    private String whyLessIsThere() {
        Limits common = database.active.combined();
        return common.ceiling() < database.budget()
                ? ": %s may give %d. %s".formatted(database.name, common.ceiling(), without(common.reason()))
                : "";
    }

    private static String without(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    /** The sibling that waits most. */
    private Optional<DomainState> needy(DomainState except) {
        return database.domains.stream()
                .filter(state -> state != except && state.pool.gate().waiting() > 0)
                .max((a, b) ->
                        Integer.compare(a.pool.gate().waiting(), b.pool.gate().waiting()));
    }

    /** What the database may give has changed. */
    void capacity(int before, int after) {
        log.tell(
                Kind.LIMITS,
                database.active.binding().map(Answer::plugin).orElse("governor"),
                "%s may give %d connections, was %d. %s"
                        .formatted(
                                database.name,
                                after,
                                before,
                                after < database.budget()
                                        ? database.active.combined().reason()
                                        : "")
                        .strip(),
                databaseSubject());
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
        int ceiling = Math.min(database.budget(), limits.ceiling());
        int permits = state.pool.gate().permits();
        log.tell(
                Kind.SHADOW,
                shadow.active.binding().map(Answer::plugin).orElse("shadow"),
                difference.isEmpty()
                        ? "%s's shadow set agrees with the live one again.".formatted(state.domain())
                        : "%s would %s under its shadow set. %s"
                                .formatted(state.domain(), difference, limits.reason())
                                .strip(),
                new DecisionLog.Subject(
                        state.domain(),
                        state.active.revision(),
                        state.inputs(),
                        new Bounds(state.standing.floor(), state.standing.ceiling(), permits),
                        new Bounds(Math.min(limits.floor(), ceiling), ceiling, permits),
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
        Limits limits = state.active.combined();
        int ceiling = Math.min(database.budget(), limits.ceiling());
        return new Bounds(Math.min(limits.floor(), ceiling), ceiling, size);
    }

    private DecisionLog.Subject databaseSubject() {
        PoolView sum = database.sum(time.now(), time.nanoTime());
        int capacity = Math.min(database.budget(), database.active.combined().ceiling());
        Bounds bounds = new Bounds(0, capacity, sum.size());
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
                bounds,
                bounds,
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
