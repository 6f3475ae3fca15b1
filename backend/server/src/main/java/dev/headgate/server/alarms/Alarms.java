package dev.headgate.server.alarms;

import dev.headgate.engine.Engine;
import dev.headgate.server.access.Access;
import dev.headgate.server.alarms.LoggedAlarm.Acknowledged;
import dev.headgate.server.alarms.LoggedAlarm.Silenced;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** The alarms of now and of the past, and what people say of them. Every method blocks on the control store. */
@Service
class Alarms {

    private final AlarmLog log;
    private final AlarmStore store;
    private final Engine engine;
    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final ApplicationEventPublisher events;
    private final Clock clock;

    Alarms(
            AlarmLog log,
            AlarmStore store,
            Engine engine,
            Audit audit,
            Access access,
            TransactionTemplate transactions,
            ApplicationEventPublisher events,
            Clock clock) {
        this.log = log;
        this.store = store;
        this.engine = engine;
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
        this.events = events;
        this.clock = clock;
    }

    /**
     * A page of alarms.
     *
     * @param filter without its database, which is that of the domain
     */
    AlarmPage page(AlarmFilter filter, Paging<AlarmPlace> paging) {
        log.write();
        String domain = filter.domain();
        String database = domain == null
                ? null
                : engine.pool(domain).map(pool -> pool.database().name()).orElse(null);
        AlarmFilter whole = new AlarmFilter(filter.open(), domain, database, filter.code(), filter.from(), filter.to());
        Page<LoggedAlarm> page = paging.page(store.find(whole, paging.after(), paging.fetch()), AlarmPlace::of);
        return new AlarmPage(page.items(), page.nextCursor(), store.unattended(), log.lost());
    }

    /**
     * Notes that somebody has seen an alarm. The first one counts: a repetition changes nothing.
     *
     * @throws ProblemException not-found; conflict if it has ended
     */
    LoggedAlarm acknowledge(String id, @Nullable String reason) {
        return change(id, "alarms.acknowledge", (key, alarm) -> {
            if (alarm.acknowledged() != null) {
                return false;
            }
            requireOpen(alarm);
            store.acknowledge(
                    key,
                    new Acknowledged(
                            clock.instant().truncatedTo(ChronoUnit.MICROS),
                            access.actor().name(),
                            reason));
            return true;
        });
    }

    /**
     * Silences an alarm and the same again, for some time from now. A repetition counts from its own time.
     *
     * @throws ProblemException not-found; conflict if it has ended
     */
    LoggedAlarm silence(String id, String reason, Duration time) {
        return change(id, "alarms.silence", (key, alarm) -> {
            requireOpen(alarm);
            store.silence(
                    key,
                    new Silenced(
                            clock.instant().plus(time).truncatedTo(ChronoUnit.MICROS),
                            access.actor().name(),
                            reason.strip()));
            return true;
        });
    }

    /** Takes a silence back. Does nothing to an alarm that is not silenced. @throws ProblemException not-found */
    void unsilence(String id) {
        change(id, "alarms.unsilence", (key, alarm) -> {
            if (alarm.silenced() == null) {
                return false;
            }
            store.silence(key, null);
            return true;
        });
    }

    /** @param act returns whether it has changed the alarm */
    private LoggedAlarm change(String id, String action, BiFunction<UUID, LoggedAlarm, Boolean> act) {
        UUID key = key(id);
        log.write();
        boolean[] changed = {false};
        LoggedAlarm after = transactions.execute(transaction -> {
            LoggedAlarm before = store.lock(key).orElseThrow(() -> ProblemException.notFound("alarm", id));
            if (!act.apply(key, before)) {
                return before;
            }
            changed[0] = true;
            LoggedAlarm now = store.lock(key).orElseThrow();
            audit.record(action, "alarms/" + id, Shown.of(before), Shown.of(now));
            return now;
        });
        if (changed[0]) {
            events.publishEvent(new AlarmsChanged(clock.instant()));
        }
        return Objects.requireNonNull(after);
    }

    /** What the audit records of an alarm. */
    private record Shown(
            String code,
            @Nullable String database,
            @Nullable String domain,
            @Nullable Acknowledged acknowledged,
            @Nullable Silenced silenced) {
        static Shown of(LoggedAlarm alarm) {
            return new Shown(alarm.code(), alarm.database(), alarm.domain(), alarm.acknowledged(), alarm.silenced());
        }
    }

    private static void requireOpen(LoggedAlarm alarm) {
        if (alarm.cleared() != null) {
            throw ProblemException.of(
                    ProblemType.CONFLICT, "The alarm '" + alarm.code() + "' ended at " + alarm.cleared() + ".");
        }
    }

    private static UUID key(String id) {
        try {
            UUID key = UUID.fromString(id);
            if (key.toString().equals(id)) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            // no alarm has it
        }
        throw ProblemException.notFound("alarm", id);
    }
}
