package dev.headgate.server.longrequests;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.limits.LongRequest;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Comparator;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/long-requests")
@Tag(name = "service")
class LongRequestController {

    private static final Cursors<Long> BY_ARRIVAL = new Cursors<>("long-requests", Long::valueOf);

    private final LongRequests requests;
    private final Audit audit;
    private final TransactionTemplate transactions;

    LongRequestController(LongRequests requests, Audit audit, TransactionTemplate transactions) {
        this.requests = requests;
        this.audit = audit;
        this.transactions = transactions;
    }

    /**
     * A page of them, the oldest first.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "LongRequestsList")
    record LongRequestsList(
            List<LongRequestJson> items, @Nullable String nextCursor) {}

    /** The requests that take long, or wait to: replays, plans, comparisons and uses of policy files, exports, long histories. */
    @GetMapping
    LongRequestsList listLongRequests(
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<LongRequestJson> page = BY_ARRIVAL
                .paging(limit, cursor)
                .pick(requests.list(), LongRequest::number, Comparator.naturalOrder())
                .map(LongRequestJson::of);
        return new LongRequestsList(page.items(), page.nextCursor());
    }

    /** Cancels one that changes nothing. Its caller gets "unavailable". Answers with the request as it was. */
    @PostMapping("/{id}/cancel")
    @Refuses(ProblemType.CONFLICT)
    LongRequestJson cancelLongRequest(@PathVariable String id) {
        LongRequest request = requests.list().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow(() -> ProblemException.notFound("long request", id));
        LongRequestJson hit = LongRequestJson.of(request);
        transactions.executeWithoutResult(transaction -> {
            audit.record("long-request.cancel", "long-requests/" + id, hit, null);
            if (!requests.cancel(request)) {
                throw ProblemException.of(
                        ProblemType.CONFLICT,
                        "The " + hit.kind() + " of " + hit.of() + " changes something, so it runs to its end.");
            }
        });
        return hit;
    }
}
