package dev.headgate.server.longrequests;

import dev.headgate.server.audit.Audit;
import dev.headgate.server.limits.LongRequest;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/long-requests")
@Tag(name = "service")
class LongRequestController {

    private final LongRequests requests;
    private final Audit audit;
    private final TransactionTemplate transactions;

    LongRequestController(LongRequests requests, Audit audit, TransactionTemplate transactions) {
        this.requests = requests;
        this.audit = audit;
        this.transactions = transactions;
    }

    /** All of them, the longest first: a few, because the places and the queue for them are bounded. */
    @Schema(name = "LongRequestsList")
    record LongRequestsList(List<LongRequestJson> items) {}

    /** The requests that take long, or wait to: replays, plans, comparisons and uses of policy files, exports, long histories. */
    @GetMapping
    LongRequestsList listLongRequests() {
        return new LongRequestsList(
                requests.list().stream().map(LongRequestJson::of).toList());
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
        if (!request.canBeCancelled()) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    "The " + hit.kind() + " of " + hit.of() + " changes something, so it runs to its end.");
        }
        transactions.executeWithoutResult(transaction -> {
            audit.record("long-request.cancel", "long-requests/" + id, hit, null);
            requests.cancel(request);
        });
        return hit;
    }
}
