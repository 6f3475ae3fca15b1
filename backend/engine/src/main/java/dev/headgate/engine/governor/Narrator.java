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

    private final Table table;
    private final Time time;
    private final DecisionLog log;

    Narrator(Table table, Time time, DecisionLog log) {
        this.table = table;
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

    String bindingName(Seat seat) {
        int permits = seat.pool.gate().permits();
        int ceiling = seat.council.combined().ceiling();
        if (ceiling <= permits) {
            return seat.council.binding().map(Answer::plugin).orElse("governor");
        }
        if (table.council.combined().ceiling() < table.budget()) {
            return table.council.binding().map(Answer::plugin).orElse("governor");
        }
        return "allocator";
    }

    private String bindingReason(Seat seat) {
        int ceiling = seat.council.combined().ceiling();
        if (ceiling <= seat.pool.gate().permits()) {
            return seat.council.combined().reason();
        }
        if (table.council.combined().ceiling() < table.budget()) {
            return table.council.combined().reason();
        }
        return "All %d connections of %s are given to %s.".formatted(table.budget(), table.database, holders());
    }

    /** Who holds most, for whoever reads it: a list of fifty says nothing. */
    private String holders() {
        List<Seat> byOrder = table.seats;
        String rest = "";
        if (byOrder.size() > MOST_HOLDERS) {
            rest = " and %d others".formatted(byOrder.size() - MOST_HOLDERS);
            byOrder = byOrder.stream()
                    .sorted(Comparator.comparingInt(Seat::size).reversed())
                    .limit(MOST_HOLDERS)
                    .toList();
        }
        return byOrder.stream().map(seat -> seat.domain() + " " + seat.size()).collect(Collectors.joining(", ")) + rest;
    }

    void held(Seat seat, int waiting) {
        int permits = seat.pool.gate().permits();
        tellOrCount(
                seat,
                Kind.HELD,
                bindingName(seat),
                1,
                () -> "%s stays at %d with %d waiting. %s"
                        .formatted(seat.domain(), permits, waiting, bindingReason(seat)));
    }

    void refused(Seat seat, Window window) {
        tellOrCount(
                seat,
                Kind.REFUSED,
                bindingName(seat),
                window.refused(),
                () -> "%s refused requests at %s (%s, %d waiting). %s"
                        .formatted(
                                seat.domain(),
                                connections(seat.pool.gate().permits()),
                                seat.council
                                        .combined()
                                        .whenExhausted()
                                        .mode()
                                        .name()
                                        .toLowerCase(Locale.ROOT),
                                window.waiting(),
                                bindingReason(seat)));
    }

    private void tellOrCount(Seat seat, Kind kind, String policy, long times, Supplier<String> message) {
        int permits = seat.pool.gate().permits();
        log.tellOrCount(
                kind,
                policy,
                seat.domain(),
                after(seat, permits),
                times,
                () -> new DecisionLog.Account(message.get().strip(), subject(seat, permits, permits)));
    }

    void limits(Seat seat, Seat.Standing before, int floor, int ceiling) {
        tell(
                seat,
                Kind.LIMITS,
                bindingName(seat),
                "%s may hold %d to %d connections, was %d to %d. %s"
                        .formatted(
                                seat.domain(),
                                floor,
                                ceiling,
                                before.floor(),
                                before.ceiling(),
                                seat.council.combined().reason())
                        .strip());
    }

    void lent(Seat seat, int lent) {
        tellOrCount(
                seat,
                Kind.LENT,
                "allocator",
                1,
                () -> "%s holds %s that others are owed and do not need now."
                        .formatted(seat.domain(), connections(lent)));
    }

    void grew(Seat seat, int from, int to) {
        int waiting = seat.pool.gate().waiting();
        Limits limits = seat.council.combined();
        String message = to <= limits.effectiveFloor()
                ? "%s grew %d → %d to its floor of %d.".formatted(seat.domain(), from, to, limits.effectiveFloor())
                : "%s grew %d → %d on demand: %d in use, %d waiting, ceiling %d."
                        .formatted(
                                seat.domain(),
                                from,
                                to,
                                seat.pool.gate().inUse(),
                                waiting,
                                Math.min(table.budget(), limits.ceiling()));
        log.tell(Kind.GREW, "governor", message, subject(seat, from, to));
    }

    void shrunk(Seat seat, int from, int to) {
        Limits limits = seat.council.combined();
        if (seat.draining) {
            log.tell(
                    Kind.SHRANK,
                    "governor",
                    "%s closes its %s: it is draining.".formatted(seat.domain(), connections(from)),
                    subject(seat, from, to));
        } else if (limits.ceiling() < from) {
            log.tell(
                    Kind.SHRANK,
                    bindingName(seat),
                    "%s shrank %d → %d. %s"
                            .formatted(seat.domain(), from, to, limits.reason())
                            .strip(),
                    subject(seat, from, to));
        } else if (seat.demand() > to || needy(seat).isPresent()) {
            log.tell(
                    Kind.RECLAIMED,
                    "allocator",
                    "%s gave %s back%s."
                            .formatted(
                                    seat.domain(),
                                    connections(from - to),
                                    needy(seat)
                                            .map(other -> " to %s, which has %d waiting%s"
                                                    .formatted(
                                                            other.domain(),
                                                            other.pool.gate().waiting(),
                                                            other.guaranteed() > 0
                                                                    ? " and is owed " + other.guaranteed()
                                                                    : ""))
                                            .orElse("")),
                    subject(seat, from, to));
        } else {
            long idleNanos = limits.idleTimeoutNanos() == Long.MAX_VALUE
                    ? Governor.DEFAULT_IDLE_TIMEOUT_NANOS
                    : limits.idleTimeoutNanos();
            log.tell(
                    Kind.SHRANK,
                    "governor",
                    "%s closed %s that nobody needed for %d s: %d → %d, floor %d."
                            .formatted(
                                    seat.domain(),
                                    connections(from - to),
                                    idleNanos / 1_000_000_000L,
                                    from,
                                    to,
                                    limits.effectiveFloor()),
                    subject(seat, from, to));
        }
    }

    /** The sibling that waits most. */
    private Optional<Seat> needy(Seat except) {
        return table.seats.stream()
                .filter(seat -> seat != except && seat.pool.gate().waiting() > 0)
                .max((a, b) ->
                        Integer.compare(a.pool.gate().waiting(), b.pool.gate().waiting()));
    }

    /** What the database may give has changed. */
    void capacity(int before, int after) {
        log.tell(
                Kind.LIMITS,
                table.council.binding().map(Answer::plugin).orElse("governor"),
                "%s may give %d connections, was %d. %s"
                        .formatted(
                                table.database,
                                after,
                                before,
                                after < table.budget()
                                        ? table.council.combined().reason()
                                        : "")
                        .strip(),
                databaseSubject());
    }

    void complain(Seat seat, Council.Complaint complaint) {
        tell(
                seat,
                kindOf(complaint),
                complaint.plugin(),
                "%s: %s %s; the last good limits stay in force."
                        .formatted(seat.domain(), complaint.plugin(), complaint.reason()));
    }

    void complain(Council.Complaint complaint) {
        log.tell(
                kindOf(complaint),
                complaint.plugin(),
                "%s: %s %s; the last good limits stay in force."
                        .formatted(table.database, complaint.plugin(), complaint.reason()),
                databaseSubject());
    }

    /** Of a set that was only asked what it would answer: nothing in force depends on it. */
    void complainOfPlanned(Seat seat, Council.Complaint complaint) {
        tell(seat, kindOf(complaint), "plan/" + complaint.plugin(), planned(seat.domain(), complaint));
    }

    /** The same for a set of the whole database. */
    void complainOfPlanned(Council.Complaint complaint) {
        log.tell(
                kindOf(complaint), "plan/" + complaint.plugin(), planned(table.database, complaint), databaseSubject());
    }

    private static String planned(String whose, Council.Complaint complaint) {
        return "%s: plan/%s %s; what is in force stays as it is."
                .formatted(whose, complaint.plugin(), complaint.reason());
    }

    private static Kind kindOf(Council.Complaint complaint) {
        return complaint.quarantined() ? Kind.QUARANTINED : Kind.DEGRADED;
    }

    /** @param difference empty where both sets agree again */
    void shadow(Seat seat, Shadow shadow, String difference) {
        Limits limits = shadow.council.combined();
        int ceiling = Math.min(table.budget(), limits.ceiling());
        int permits = seat.pool.gate().permits();
        log.tell(
                Kind.SHADOW,
                shadow.council.binding().map(Answer::plugin).orElse("shadow"),
                difference.isEmpty()
                        ? "%s's shadow set agrees with the live one again.".formatted(seat.domain())
                        : "%s would %s under its shadow set. %s"
                                .formatted(seat.domain(), difference, limits.reason())
                                .strip(),
                new DecisionLog.Subject(
                        seat.domain(),
                        seat.council.revision(),
                        seat.inputs(),
                        new Bounds(seat.standing.floor(), seat.standing.ceiling(), permits),
                        new Bounds(Math.min(limits.floor(), ceiling), ceiling, permits),
                        shadow.council.answers(),
                        limits));
    }

    void tell(Seat seat, Kind kind, String policy, String message) {
        log.tell(
                kind,
                policy,
                message,
                subject(seat, seat.standing.target(), seat.pool.gate().permits()));
    }

    private DecisionLog.Subject subject(Seat seat, int before, int after) {
        return new DecisionLog.Subject(
                seat.domain(),
                seat.council.revision(),
                seat.inputs(),
                new Bounds(seat.standing.floor(), seat.standing.ceiling(), before),
                after(seat, after),
                seat.council.answers(),
                seat.council.combined());
    }

    private Bounds after(Seat seat, int size) {
        Limits limits = seat.council.combined();
        int ceiling = Math.min(table.budget(), limits.ceiling());
        return new Bounds(Math.min(limits.floor(), ceiling), ceiling, size);
    }

    private DecisionLog.Subject databaseSubject() {
        PoolView sum = table.sum(time.now(), time.nanoTime());
        int capacity = Math.min(table.budget(), table.council.combined().ceiling());
        Bounds bounds = new Bounds(0, capacity, sum.size());
        return new DecisionLog.Subject(
                "",
                table.council.revision(),
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
                table.council.answers(),
                table.council.combined());
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
