package dev.headgate.server.sizing;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import jakarta.annotation.PreDestroy;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The searches that run, at most one for each database, because the domains of a database disturb one another; and the last
 * {@value #KEPT} of them all. They are kept in memory. Safe for any thread.
 */
@Service
class SizeSearches {

    private static final String TASK = "size-search";
    private static final int KEPT = 20;

    private final Engine engine;
    private final Policies policies;
    private final TrialMeter meter;
    private final Supervisor supervisor;
    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final Clock clock;

    /** Oldest first. Guarded by itself. */
    private final SequencedMap<String, Started> searches = new LinkedHashMap<>();

    private long last;

    SizeSearches(
            Engine engine,
            Policies policies,
            TrialMeter meter,
            Supervisor supervisor,
            Audit audit,
            Access access,
            TransactionTemplate transactions,
            Clock clock) {
        this.engine = engine;
        this.policies = policies;
        this.meter = meter;
        this.supervisor = supervisor;
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
        this.clock = clock;
    }

    private record Started(LiveSearch search, Thread thread) {

        SizeSearchRun shown() {
            return search.shown();
        }
    }

    /**
     * Starts a search and returns at once.
     *
     * @throws ProblemException not-found; invalid-request; conflict while another search of the database runs, while the domain's set is
     *     on probation, or while the domain is paused or drains
     */
    SizeSearchRun start(String domain, SizeSearchRequest request) {
        Pool pool = engine.pool(domain).orElseThrow(() -> ProblemException.notFound("domain", domain));
        requireOpen(pool);
        requireNoProbation(domain);
        int most = most(pool, request);
        String database = pool.database().target().name();
        synchronized (searches) {
            for (Started each : searches.values()) {
                if (each.shown().isRunning()
                        && each.search().pool().database().target().name().equals(database)) {
                    throw conflict(
                            "A search for the size of %s runs already on the database %s. Wait for its end, or cancel it."
                                    .formatted(each.shown().domain(), database));
                }
            }
            String id = Long.toString(++last);
            LiveSearch search = new LiveSearch(
                    id,
                    pool,
                    request,
                    most,
                    access.actor().name(),
                    () -> policies.current(Scope.domain(domain)).policySet(),
                    meter,
                    clock);
            record("sizes.search", domain, Map.of("search", id, "mostSeconds", request.seconds(), "most", most));
            if (searches.size() >= KEPT) {
                searches.values().stream()
                        .filter(each -> !each.shown().isRunning())
                        .findFirst()
                        .ifPresent(oldest -> searches.remove(oldest.shown().id()));
            }
            searches.put(
                    id,
                    new Started(
                            search, supervisor.start(TASK, Thread.ofVirtual().name(TASK), search::run)));
            return search.shown();
        }
    }

    private static void requireOpen(Pool pool) {
        PoolStatus.State state = pool.status().state();
        if (state != PoolStatus.State.OPEN) {
            throw conflict(pool.domain() + " is " + state.name().toLowerCase(Locale.ROOT) + "; resume it first.");
        }
    }

    private void requireNoProbation(String domain) {
        if (policies.current(Scope.domain(domain)).guard() != null) {
            throw conflict("The policy set of " + domain
                    + " is on probation; a trial of sizes would disturb what its guard measures. Wait for its end.");
        }
    }

    /** What the siblings' floors and guarantees leave of the budget, or less if somebody asks for less. */
    private static int most(Pool pool, SizeSearchRequest request) {
        int owed = pool.database().pools().stream()
                .filter(each -> !each.domain().equals(pool.domain()))
                .map(Pool::status)
                .mapToInt(each -> Math.max(each.floor(), each.guaranteed()))
                .sum();
        int room = Math.max(1, pool.status().budget() - owed);
        if (request.most() != null && request.most() > room) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    List.of(Fault.at(
                            "/most",
                            "must be 1 to %d, because the siblings of %s are owed the rest of the budget, was %d"
                                    .formatted(room, pool.domain(), request.most()),
                            "1.." + room)));
        }
        return Objects.requireNonNullElse(request.most(), room);
    }

    /**
     * Newest first.
     *
     * @throws ProblemException not-found
     */
    List<SizeSearchRun> of(String domain) {
        if (engine.pool(domain).isEmpty()) {
            throw ProblemException.notFound("domain", domain);
        }
        synchronized (searches) {
            return searches.sequencedValues().reversed().stream()
                    .map(Started::shown)
                    .filter(each -> each.domain().equals(domain))
                    .toList();
        }
    }

    /** @throws ProblemException not-found */
    SizeSearchRun read(String domain, String id) {
        return require(domain, id).shown();
    }

    /**
     * Cancels a search; the policies decide again at once. Does not wait for its end. One that has ended is forgotten.
     *
     * @throws ProblemException not-found
     */
    void remove(String domain, String id) {
        Started found = require(domain, id);
        if (found.shown().isRunning()) {
            found.thread().interrupt();
            record("sizes.cancel", domain, Map.of("search", id));
        } else {
            synchronized (searches) {
                searches.remove(id);
            }
        }
    }

    private Started require(String domain, String id) {
        synchronized (searches) {
            @Nullable Started found = searches.get(id);
            if (found == null || !found.shown().domain().equals(domain)) {
                throw ProblemException.notFound("size search", id);
            }
            return found;
        }
    }

    private void record(String action, String domain, Map<String, Object> after) {
        transactions.executeWithoutResult(transaction -> audit.record(action, "domains/" + domain, null, after));
    }

    private static ProblemException conflict(String why) {
        return ProblemException.of(ProblemType.CONFLICT, why);
    }

    @PreDestroy
    void stop() {
        synchronized (searches) {
            searches.values().forEach(each -> each.thread().interrupt());
        }
    }
}
