package dev.headgate.server.leases;

import dev.headgate.engine.gate.WaiterId;
import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Comparator;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/domains/{domain}")
@Tag(name = "leases")
class LeaseController {

    private static final Cursors<String> BY_CONNECTION = Cursors.ofNames("leases");
    private static final Cursors<WaiterId> BY_ARRIVAL = new Cursors<>("waiters", WaiterId::of);
    private static final Cursors<String> BY_CALLER = Cursors.ofNames("refusals");
    private static final Cursors<String> BY_ID = Cursors.ofNames("closed-connections");

    private final Leases leases;

    LeaseController(Leases leases) {
        this.leases = leases;
    }

    /**
     * A page of leases, by their connections, oldest connection first.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "LeasesList")
    record LeasesList(List<LeaseJson> items, @Nullable String nextCursor) {}

    /**
     * A page of waiters, the one that has waited longest first.
     *
     * @param nextCursor null on the last page
     * @param total how many wait
     */
    @Schema(name = "WaitersList")
    record WaitersList(List<WaiterJson> items, @Nullable String nextCursor, int total) {}

    /**
     * A page of those who were turned away within the last ten minutes, by caller.
     *
     * @param nextCursor null on the last page
     * @param total requests that were turned away, of all pages
     */
    @Schema(name = "RefusalsList")
    record RefusalsList(List<RefusalJson> items, @Nullable String nextCursor, long total) {}

    /**
     * A page of connections that were closed within the last hour, newest first.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "ClosedConnectionsList")
    record ClosedConnectionsList(
            List<ClosedConnectionJson> items, @Nullable String nextCursor) {}

    /** Who holds which connection. */
    @GetMapping("/leases")
    LeasesList listLeases(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<LeaseJson> page = leases.leases(domain, BY_CONNECTION.paging(limit, cursor));
        return new LeasesList(page.items(), page.nextCursor());
    }

    /** Asks PostgreSQL to cancel what runs on a lease. The lease goes on. Answers with the lease as it was. */
    @PostMapping("/leases/{id}/cancel")
    @Refuses({ProblemType.CONFLICT, ProblemType.DATABASE_UNREACHABLE})
    LeaseJson cancelLease(@PathVariable String domain, @PathVariable String id) {
        return leases.cancel(domain, id);
    }

    /** Ends a lease and its connection. Answers with the lease as it was. */
    @PostMapping("/leases/{id}/end")
    @Refuses(ProblemType.CONFLICT)
    LeaseJson endLease(@PathVariable String domain, @PathVariable String id) {
        return leases.end(domain, id);
    }

    /** Who waits for a lease. */
    @GetMapping("/waiters")
    WaitersList listWaiters(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<WaiterJson> page = leases.waiters(domain, BY_ARRIVAL.paging(limit, cursor));
        return new WaitersList(page.items(), page.nextCursor(), leases.waiting(domain));
    }

    /** Refuses one that waits: its request fails with SQLSTATE 57014. Answers with the waiter as it was. */
    @PostMapping("/waiters/{id}/end")
    @Refuses(ProblemType.CONFLICT)
    WaiterJson endWaiter(@PathVariable String domain, @PathVariable String id) {
        return leases.endWaiter(domain, id);
    }

    /** Who was turned away, why and how often. */
    @GetMapping("/refusals")
    RefusalsList listRefusals(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        List<RefusalJson> all = leases.refusals(domain);
        Page<RefusalJson> page = BY_CALLER.paging(limit, cursor).pick(all, RefusalJson::key, Comparator.naturalOrder());
        return new RefusalsList(
                page.items(),
                page.nextCursor(),
                all.stream().mapToLong(RefusalJson::count).sum());
    }

    /** One physical connection, also one that was closed within the last hour. */
    @GetMapping("/connections/{id}")
    ConnectionReportJson readConnection(@PathVariable String domain, @PathVariable String id) {
        return leases.connection(domain, id);
    }

    @GetMapping("/closed-connections")
    ClosedConnectionsList listClosedConnections(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<ClosedConnectionJson> page = leases.closed(domain, BY_ID.paging(limit, cursor));
        return new ClosedConnectionsList(page.items(), page.nextCursor());
    }
}
