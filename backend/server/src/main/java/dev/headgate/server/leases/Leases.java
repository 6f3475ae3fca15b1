package dev.headgate.server.leases;

import dev.headgate.engine.LeaseStatus;
import dev.headgate.engine.Occupancy;
import dev.headgate.engine.Occupancy.Outcome;
import dev.headgate.engine.Occupancy.WaiterStatus;
import dev.headgate.engine.gate.WaiterId;
import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** What an operator sees of a domain's connections, and what he may do to those who use them. Safe for any thread. */
@Service
public class Leases {

    private static final Logger log = LoggerFactory.getLogger(Leases.class);

    /** Compares ids of connections, which end in a number that grows within a pool. */
    private static final Comparator<String> OLDEST_FIRST =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private final Domains domains;
    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final Clock clock;

    Leases(Domains domains, Audit audit, Access access, TransactionTemplate transactions, Clock clock) {
        this.domains = domains;
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
        this.clock = clock;
    }

    private Occupancy occupancy(String domain) {
        return domains.pool(domain).occupancy();
    }

    /** The leases by their connections, oldest connection first. @throws ProblemException not-found */
    Page<LeaseJson> leases(String domain, Paging<String> paging) {
        return paging.pick(
                        occupancy(domain).leases(), lease -> lease.connection().id(), OLDEST_FIRST)
                .map(LeaseJson::of);
    }

    /** How many requests wait. @throws ProblemException not-found */
    int waiting(String domain) {
        return occupancy(domain).waiting();
    }

    /** The waiters, oldest first. @throws ProblemException not-found */
    Page<WaiterJson> waiters(String domain, Paging<WaiterId> paging) {
        return paging.page(occupancy(domain).waiters(paging.after(), paging.fetch()), WaiterStatus::id)
                .map(WaiterJson::of);
    }

    /** Who was turned away within the last ten minutes. @throws ProblemException not-found */
    List<RefusalJson> refusals(String domain) {
        return occupancy(domain).turnedAway().stream().map(RefusalJson::of).toList();
    }

    /** The connections that were closed within the last hour, newest first. @throws ProblemException not-found */
    Page<ClosedConnectionJson> closed(String domain, Paging<String> paging) {
        return paging.pick(occupancy(domain).closed(), closed -> closed.last().id(), OLDEST_FIRST.reversed())
                .map(ClosedConnectionJson::of);
    }

    /** One connection, open or closed within the last hour. @throws ProblemException not-found */
    ConnectionReportJson connection(String domain, String id) {
        Occupancy occupancy = occupancy(domain);
        Instant now = clock.instant();
        return occupancy
                .connection(id)
                .map(report -> ConnectionReportJson.of(report, now))
                .or(() -> closed(occupancy, id).map(ConnectionReportJson::of))
                .orElseThrow(() -> ProblemException.notFound("connection", id));
    }

    private static Optional<ClosedConnection> closed(Occupancy occupancy, String id) {
        return occupancy.closed().stream()
                .filter(each -> each.last().id().equals(id))
                .findAny();
    }

    /**
     * Asks PostgreSQL to cancel what runs on a lease.
     *
     * @throws ProblemException not-found; conflict if the lease has ended or nothing runs on it; database-unreachable
     */
    LeaseJson cancel(String domain, String id) {
        Occupancy occupancy = occupancy(domain);
        LeaseJson hit = lease(occupancy, id);
        act("leases.cancel", domain, "leases/" + id, hit, () -> {
            try {
                switch (occupancy.cancel(id)) {
                    case OVER -> throw over(id);
                    case NOTHING_RUNS ->
                        throw ProblemException.of(
                                ProblemType.CONFLICT,
                                "Nothing runs on the lease '" + id
                                        + "' now. End the lease to take its connection away.");
                    case DONE -> {}
                }
            } catch (SQLException e) {
                throw ProblemException.of(
                        ProblemType.DATABASE_UNREACHABLE, "The database could not be told: " + e.getMessage());
            }
        });
        log.atInfo()
                .addKeyValue("domain", domain)
                .log("{} cancelled what {} ran on {}", actor(), hit.caller().named(), hit.connection());
        return hit;
    }

    /**
     * Ends a lease and its connection.
     *
     * @throws ProblemException not-found; conflict if the lease has ended
     */
    LeaseJson end(String domain, String id) {
        Occupancy occupancy = occupancy(domain);
        LeaseJson hit = lease(occupancy, id);
        act("leases.end", domain, "leases/" + id, hit, () -> {
            if (occupancy.end(id, "an operator of Headgate (" + actor() + ") ended this lease") == Outcome.OVER) {
                throw over(id);
            }
        });
        log.atInfo()
                .addKeyValue("domain", domain)
                .log("{} ended the lease of {} on {}", actor(), hit.caller().named(), hit.connection());
        return hit;
    }

    /**
     * Refuses one that waits.
     *
     * @throws ProblemException not-found; conflict if it waits no more
     */
    WaiterJson endWaiter(String domain, String id) {
        Occupancy occupancy = occupancy(domain);
        WaiterId key;
        try {
            key = WaiterId.of(id);
        } catch (IllegalArgumentException e) {
            throw ProblemException.notFound("waiter", id);
        }
        WaiterJson hit = occupancy.waiters(key.before(), 1).stream()
                .filter(each -> each.id().equals(key))
                .map(WaiterJson::of)
                .findAny()
                .orElseThrow(() -> waitsNoMore(id));
        act("waiters.end", domain, "waiters/" + id, hit, () -> {
            if (occupancy.endWaiter(key).isEmpty()) {
                throw waitsNoMore(id);
            }
        });
        log.atInfo()
                .addKeyValue("domain", domain)
                .log("{} ended the wait of {}", actor(), hit.caller().named());
        return hit;
    }

    private String actor() {
        return access.actor().name();
    }

    /** Records it and does it. Nothing is recorded if it fails. */
    private void act(String action, String domain, String what, Object hit, Runnable deed) {
        transactions.executeWithoutResult(transaction -> {
            audit.record(action, "domains/" + domain + "/" + what, hit, null);
            deed.run();
        });
    }

    private static LeaseJson lease(Occupancy occupancy, String id) {
        Optional<LeaseStatus> found = occupancy.lease(id);
        if (found.isPresent()) {
            return LeaseJson.of(found.get());
        }
        String connection = id.substring(0, Math.max(0, id.lastIndexOf('.')));
        boolean wasThere = occupancy.connection(connection).isPresent()
                || closed(occupancy, connection).isPresent();
        throw wasThere ? over(id) : ProblemException.notFound("lease", id);
    }

    private static ProblemException over(String id) {
        return ProblemException.of(ProblemType.CONFLICT, "The lease '" + id + "' has ended.");
    }

    private static ProblemException waitsNoMore(String id) {
        return ProblemException.of(
                ProblemType.CONFLICT,
                "The request '" + id + "' does not wait any more: it got a connection, was refused, or gave up.");
    }
}
