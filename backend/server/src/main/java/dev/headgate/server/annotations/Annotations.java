package dev.headgate.server.annotations;

import dev.headgate.engine.Engine;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The annotations. Every method blocks on the control store. Those past their retention are deleted when the next one is made, so
 * that there are never more than the limit.
 */
@Service
public class Annotations {

    /** How far ahead a mark may be: clocks differ, and a deploy may be announced. */
    private static final Duration AHEAD = Duration.ofDays(1);

    /** The author of what the service marks. */
    private static final String ITSELF = "headgate";

    private final AnnotationStore store;
    private final Engine engine;
    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final ApplicationEventPublisher events;
    private final Clock clock;
    private final HeadgateProperties.Annotations retention;

    Annotations(
            AnnotationStore store,
            Engine engine,
            Audit audit,
            Access access,
            TransactionTemplate transactions,
            ApplicationEventPublisher events,
            Clock clock,
            HeadgateProperties properties) {
        this.store = store;
        this.engine = engine;
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
        this.events = events;
        this.clock = clock;
        this.retention = properties.annotations();
    }

    /**
     * A page of annotations, newest first.
     *
     * @param filter without its database, which is that of the domain
     */
    Page<Annotation> page(AnnotationFilter filter, Paging<AnnotationPlace> paging) {
        String domain = filter.domain();
        String database = domain == null
                ? null
                : engine.pool(domain).map(pool -> pool.database().name()).orElse(null);
        AnnotationFilter whole = new AnnotationFilter(domain, database, filter.kind(), filter.from(), filter.to());
        return paging.page(store.find(whole, paging.after(), paging.fetch()), AnnotationPlace::of);
    }

    /** @throws ProblemException invalid-request with every fault */
    Annotation create(AnnotationRequest request) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        Instant time = Objects.requireNonNullElse(request.time(), now).truncatedTo(ChronoUnit.MICROS);
        List<Fault> faults = faults(request, time, now);
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        Annotation made = new Annotation(
                UUID.randomUUID().toString(),
                time,
                request.kind(),
                request.text().strip(),
                request.tagsOrNone(),
                request.database(),
                request.domain(),
                access.actor().name(),
                now);
        transactions.executeWithoutResult(transaction -> {
            store.add(made);
            store.prune(now.minus(retention.keep()), retention.limit());
            audit.record("annotations.create", path(made.id()), null, made);
        });
        events.publishEvent(new AnnotationChanged(now, made, false));
        return made;
    }

    /**
     * Marks the charts of a database's domains by the service itself. The audit tells what people do, so it has no entry.
     *
     * @throws org.springframework.dao.DataAccessException if the store is away
     */
    void markFailover(Instant time, String text, String database) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        Annotation made = new Annotation(
                UUID.randomUUID().toString(),
                time.truncatedTo(ChronoUnit.MICROS),
                "failover",
                text,
                List.of(),
                database,
                null,
                ITSELF,
                now);
        transactions.executeWithoutResult(transaction -> {
            store.add(made);
            store.prune(now.minus(retention.keep()), retention.limit());
        });
        events.publishEvent(new AnnotationChanged(now, made, false));
    }

    private List<Fault> faults(AnnotationRequest request, Instant time, Instant now) {
        List<Fault> faults = new ArrayList<>();
        Instant first = now.minus(retention.keep());
        Instant last = now.plus(AHEAD);
        if (time.isBefore(first) || time.isAfter(last)) {
            faults.add(Fault.at(
                    "/time",
                    "must be within the time that annotations are kept, and at most a day ahead, was " + time,
                    first + ".." + last));
        }
        if (request.database() != null && request.domain() != null) {
            faults.add(Fault.at("/domain", "cannot be given together with a database", "either of them"));
        } else if (request.domain() != null && engine.pool(request.domain()).isEmpty()) {
            faults.add(Fault.at("/domain", "must be a domain, was '" + request.domain() + "'"));
        } else if (request.database() != null
                && engine.database(request.database()).isEmpty()) {
            faults.add(Fault.at("/database", "must be a database, was '" + request.database() + "'"));
        }
        return faults;
    }

    /** @throws ProblemException not-found */
    void remove(String id) {
        UUID key = key(id);
        Annotation removed = Objects.requireNonNull(transactions.execute(transaction -> {
            Annotation before = store.remove(key).orElseThrow(() -> ProblemException.notFound("annotation", id));
            audit.record("annotations.delete", path(id), before, null);
            return before;
        }));
        events.publishEvent(new AnnotationChanged(clock.instant(), removed, true));
    }

    private static UUID key(String id) {
        try {
            UUID key = UUID.fromString(id);
            if (key.toString().equals(id)) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            // no annotation has it
        }
        throw ProblemException.notFound("annotation", id);
    }

    private static String path(String id) {
        return "annotations/" + id;
    }
}
