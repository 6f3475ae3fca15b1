package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.engine.governor.Decision.Inputs;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.governor.DecisionLog.Account;
import dev.headgate.engine.governor.DecisionLog.Entry;
import dev.headgate.engine.governor.DecisionLog.Subject;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.meter.Ending;
import dev.headgate.spi.Alarm;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts what a step decides into sentences that an operator understands. Pure: pictures in, entries of the decision log out. */
final class Sentences {

    private Sentences() {}

    // ---- who has to wait

    /** Callers wait, and get no more connections for now. Empty where they came only since the step began. */
    static Optional<Entry> held(Picture picture, Picture.Pool pool) {
        int waiting = pool.inputs().waiting();
        if (waiting == 0 || pool.size() > pool.inputs().size()) {
            return Optional.empty();
        }
        Bound bound = Bound.of(picture, pool);
        return Optional.of(counted(
                picture,
                pool,
                Kind.HELD,
                bound.who(),
                bound.answer(),
                1,
                () -> bound.by() == PoolStatus.Limit.By.RATE
                        ? "%s has %d waiting for their turn, not for a connection. %s"
                                .formatted(
                                        pool.domain(), waiting, bound.reason().get())
                        : "%s stays at %d with %d waiting. %s"
                                .formatted(
                                        pool.domain(),
                                        pool.gate().permits(),
                                        waiting,
                                        bound.reason().get())));
    }

    /** Requests were refused in the window that has ended. */
    static Entry refused(Picture picture, Picture.Pool pool) {
        Bound bound = Bound.of(picture, pool);
        return counted(
                picture,
                pool,
                Kind.REFUSED,
                bound.who(),
                bound.answer(),
                pool.window().refused(),
                () -> "%s refused requests at %s (%s, %d waiting). %s"
                        .formatted(
                                pool.domain(),
                                connections(pool.gate().permits()),
                                pool.verdict()
                                        .limits()
                                        .whenExhausted()
                                        .mode()
                                        .name()
                                        .toLowerCase(Locale.ROOT),
                                pool.inputs().waiting(),
                                bound.reason().get()));
    }

    // ---- how many connections

    static Entry grew(Picture picture, Picture.Pool pool, int to) {
        Inputs inputs = pool.inputs();
        int from = pool.gate().permits();
        Bounds bounds = pool.verdict().bounds(picture.budget(), to);
        String why;
        if (to <= bounds.floor()) {
            why = " to its floor of %d.".formatted(bounds.floor());
        } else if (inputs.inUse() + inputs.waiting() > from) {
            why = " on demand: %d in use, %d waiting, ceiling %d."
                    .formatted(inputs.inUse(), inputs.waiting(), bounds.ceiling());
        } else {
            why = ": it had them, or needed them a moment ago.";
        }
        return new Entry.Once(
                Kind.GREW,
                "governor",
                "%s grew %d → %d%s".formatted(pool.domain(), from, to, why),
                subject(picture, pool, from, to, Optional.empty()));
    }

    /**
     * @param why its connections are closed
     * @param heir who is given them, where somebody is
     */
    static Entry shrunk(Picture picture, Picture.Pool pool, int to, Ending why, Optional<Picture.Pool> heir) {
        int from = pool.gate().permits();
        Subject subject = subject(picture, pool, from, to, Optional.empty());
        Bounds bounds = subject.after();
        if (why == Ending.DRAINED) {
            return new Entry.Once(
                    Kind.SHRANK,
                    "governor",
                    "%s closes its %s: it is draining.".formatted(pool.domain(), connections(from)),
                    subject);
        }
        if (why == Ending.RECLAIMED) {
            Optional<Answer> quoted = heir.isPresent() ? Optional.empty() : lessening(picture);
            return new Entry.Once(
                    Kind.RECLAIMED,
                    "allocator",
                    sentence("%s gave %s back%s"
                            .formatted(
                                    pool.domain(),
                                    connections(from - to),
                                    heir.map(Sentences::forHeir)
                                            .or(() -> quoted.map(answer -> whyLessIsThere(picture, answer)))
                                            .orElse(""))),
                    subject(picture, pool, from, to, quoted));
        }
        if (why == Ending.SHRUNK) {
            Giver giver = giver(picture, pool);
            return new Entry.Once(
                    Kind.SHRANK,
                    giver.who(),
                    "%s shrank %d → %d. %s"
                            .formatted(pool.domain(), from, to, giver.reason())
                            .strip(),
                    subject(picture, pool, from, to, giver.answer()));
        }
        String idle = seconds(pool.verdict().idleTimeoutNanos());
        return new Entry.Once(
                Kind.SHRANK,
                "governor",
                bounds.ceiling() < from
                        ? "%s shrank %d → %d: it may hold %d, and nobody needed more than %d for %s s."
                                .formatted(pool.domain(), from, to, bounds.ceiling(), to, idle)
                        : "%s closed %s that nobody needed for %s s: %d → %d, floor %d."
                                .formatted(pool.domain(), connections(from - to), idle, from, to, bounds.floor()),
                subject);
    }

    private static String forHeir(Picture.Pool heir) {
        return " to %s, which has %d waiting%s"
                .formatted(
                        heir.domain(),
                        heir.inputs().waiting(),
                        heir.size() < heir.guaranteed() ? " and is owed " + heir.guaranteed() : "");
    }

    private static String whyLessIsThere(Picture picture, Answer answer) {
        return ": %s may give %d. %s"
                .formatted(
                        picture.database(),
                        answer.limits().ceiling(),
                        answer.limits().reason());
    }

    /** The database's policy that leaves less than the budget to divide, if one does. */
    private static Optional<Answer> lessening(Picture picture) {
        return picture.common().binding().filter(answer -> answer.limits().ceiling() < picture.budget());
    }

    // ---- what is in force

    /** Floor or ceiling moved. */
    static Entry limits(Picture picture, Picture.Pool pool) {
        Giver giver = giver(picture, pool);
        Bounds before = pool.before().bounds();
        Bounds after = pool.verdict().bounds(picture.budget(), 0);
        return of(
                picture,
                pool,
                Kind.LIMITS,
                giver.who(),
                giver.answer(),
                "%s may hold %d to %d connections, was %d to %d. %s"
                        .formatted(
                                pool.domain(),
                                after.floor(),
                                after.ceiling(),
                                before.floor(),
                                before.ceiling(),
                                giver.reason())
                        .strip());
    }

    /** What the database may give has changed. */
    static Entry capacity(Picture picture) {
        int after = picture.capacity();
        Optional<Answer> binding = lessening(picture);
        return new Entry.Once(
                Kind.LIMITS,
                binding.map(Answer::plugin).orElse("governor"),
                "%s may give %s, was %d. %s"
                        .formatted(
                                picture.database(),
                                connections(after),
                                picture.formerCapacity(),
                                binding.map(answer -> answer.limits().reason()).orElse(""))
                        .strip(),
                subject(picture, picture.formerCapacity(), binding));
    }

    static Entry lent(Picture picture, Picture.Pool pool, int lent) {
        return counted(
                picture,
                pool,
                Kind.LENT,
                "allocator",
                Optional.empty(),
                1,
                () -> "%s holds %s that others are owed and do not need now."
                        .formatted(pool.domain(), connections(lent)));
    }

    /** Who gives a pool its ceiling, and why. */
    private record Giver(String who, String reason, Optional<Answer> answer) {}

    private static Giver giver(Picture picture, Picture.Pool pool) {
        return pool.verdict().limits().ceiling() <= picture.budget()
                ? pool.verdict()
                        .binding()
                        .map(answer ->
                                new Giver(answer.plugin(), answer.limits().reason(), Optional.of(answer)))
                        .orElse(new Giver("governor", "", Optional.empty()))
                : new Giver(
                        "allocator",
                        "%s has a budget of %d.".formatted(picture.database(), picture.budget()),
                        Optional.empty());
    }

    /** An alarm is raised: what a policy says of it is quoted. */
    static Entry raised(Picture picture, Picture.Pool pool, RaisedAlarm alarm) {
        Alarm said = new Alarm(alarm.code(), alarm.words().detail());
        Optional<Answer> raiser = Stream.of(pool.verdict(), picture.common())
                .flatMap(verdict -> verdict.answers().stream())
                .filter(answer -> answer.limits().alarms().contains(said))
                .findFirst();
        return of(
                picture,
                pool,
                Kind.ALARM,
                alarm.code(),
                raiser,
                sentence(alarm.words().inFull()));
    }

    /**
     * An alarm has ended.
     *
     * @param recovered whether it was the last one of the pool
     */
    static Entry cleared(Picture picture, Picture.Pool pool, AlarmBoard.Held ended, boolean recovered) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(ended.lengthNanos());
        return of(
                picture,
                pool,
                Kind.CLEARED,
                "governor",
                "%s%s ended %s%s."
                        .formatted(
                                pool.domain() + (recovered ? " recovered: " : ": "),
                                ended.condition().code(),
                                seconds == 0 ? "within a second" : "after " + seconds + " s",
                                ended.times() == 1 ? "" : "; it came " + ended.times() + " times"));
    }

    /** The database became reachable, or cannot be reached any more; {@code failure} says why. */
    static Entry reachability(Picture picture, Picture.Pool pool, Optional<String> failure) {
        return of(
                picture,
                pool,
                failure.isPresent() ? Kind.UNREACHABLE : Kind.REACHABLE,
                "governor",
                Optional.empty(),
                failure.map(why -> sentence(
                                "%s cannot be reached for %s: %s".formatted(picture.database(), pool.domain(), why)))
                        .orElseGet(
                                () -> "%s can be reached again for %s.".formatted(picture.database(), pool.domain())));
    }

    // ---- entries

    /** An entry about a pool that quotes no policy. */
    static Entry of(Picture picture, Picture.Pool pool, Kind kind, String policy, String message) {
        return of(picture, pool, kind, policy, Optional.empty(), message);
    }

    /**
     * An entry about a pool; its size is what the step before gave, and what it is now.
     *
     * @param quoted whose sentence the message ends with, if it is a policy's
     */
    private static Entry of(
            Picture picture, Picture.Pool pool, Kind kind, String policy, Optional<Answer> quoted, String message) {
        return new Entry.Once(
                kind,
                policy,
                message,
                subject(
                        picture,
                        pool,
                        pool.before().bounds().target(),
                        pool.gate().permits(),
                        quoted));
    }

    /** An entry about the database. */
    static Entry of(Picture picture, Kind kind, String policy, String message) {
        return new Entry.Once(kind, policy, message, subject(picture, picture.capacity(), Optional.empty()));
    }

    private static Entry counted(
            Picture picture,
            Picture.Pool pool,
            Kind kind,
            String policy,
            Optional<Answer> quoted,
            long times,
            Supplier<String> message) {
        int permits = pool.gate().permits();
        return new Entry.Counted(
                kind,
                policy,
                pool.domain(),
                pool.verdict().bounds(picture.budget(), permits),
                times,
                () -> new Account(message.get().strip(), subject(picture, pool, permits, permits, quoted)));
    }

    private static Subject subject(Picture picture, Picture.Pool pool, int before, int after, Optional<Answer> quoted) {
        Bounds former = pool.before().bounds();
        return new Subject(
                pool.domain(),
                pool.verdict().revision(),
                pool.inputs().quoting(quoted),
                new Bounds(former.floor(), former.ceiling(), before),
                pool.verdict().bounds(picture.budget(), after),
                pool.verdict().answers(),
                pool.verdict().limits());
    }

    private static Subject subject(Picture picture, int capacityBefore, Optional<Answer> quoted) {
        Inputs inputs = picture.inputs().quoting(quoted);
        return new Subject(
                "",
                picture.common().revision(),
                inputs,
                new Bounds(0, capacityBefore, inputs.size()),
                new Bounds(0, picture.capacity(), inputs.size()),
                picture.common().answers(),
                picture.common().limits());
    }

    // ---- words

    /** With a full stop at its end. */
    static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    static String connections(int count) {
        return count == 1 ? "1 connection" : count + " connections";
    }

    private static String seconds(long nanos) {
        return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
    }

    static String plugins(PolicySet set) {
        return set.members().isEmpty()
                ? "no policies"
                : set.members().stream().map(PolicySet.Member::plugin).collect(Collectors.joining(", "));
    }
}
