package dev.headgate.server.history;

import dev.headgate.engine.governor.Decision;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Page;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1")
@Tag(name = "history")
class HistoryController {

    private static final List<String> KINDS =
            Stream.of(Decision.Kind.values()).map(Decision.Kind::label).toList();

    /** The length that charts request often. Longer histories are long requests. */
    private static final int SHORT_MINUTES = 15;

    /** Bytes of one minute in an answer: its figures, as objects and as text. */
    private static final long MINUTE_BYTES = 60 * 13 * 40;

    private final History history;
    private final DecisionLog decisions;
    private final Explanations explanations;
    private final Domains domains;
    private final LongRequests longRequests;

    HistoryController(
            History history,
            DecisionLog decisions,
            Explanations explanations,
            Domains domains,
            LongRequests longRequests) {
        this.longRequests = longRequests;
        this.explanations = explanations;
        this.history = history;
        this.decisions = decisions;
        this.domains = domains;
    }

    @GetMapping("/domains/{domain}/history")
    HistoryJson history(
            @PathVariable String domain, @RequestParam(defaultValue = "5") @Range(min = 1, max = 60) int minutes) {
        require(domain);
        return minutes <= SHORT_MINUTES
                ? past(domain, minutes)
                : longRequests.answer(minutes * MINUTE_BYTES, () -> past(domain, minutes));
    }

    private HistoryJson past(String domain, int minutes) {
        return history.of(domain, Duration.ofMinutes(minutes)).orElseGet(HistoryJson::none);
    }

    /** @param at the instant to explain; by default now */
    @GetMapping("/domains/{domain}/explanation")
    Explanation explain(@PathVariable String domain, @RequestParam(required = false) @Nullable Instant at) {
        require(domain);
        return explanations.of(domain, at);
    }

    @GetMapping("/domains/{domain}/decisions")
    DecisionPage listDomainDecisions(
            @PathVariable String domain,
            @OfKind @RequestParam(required = false) @Nullable String kind,
            @RequestParam(required = false) @Nullable String policy,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        require(domain);
        return page(new DecisionFilter(domain, null, kind, policy, from, to), limit, cursor);
    }

    @GetMapping("/decisions")
    DecisionPage listDecisions(
            @RequestParam(required = false) @Nullable String domain,
            @RequestParam(required = false) @Nullable String database,
            @OfKind @RequestParam(required = false) @Nullable String kind,
            @RequestParam(required = false) @Nullable String policy,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        return page(new DecisionFilter(domain, database, kind, policy, from, to), limit, cursor);
    }

    private void require(String domain) {
        if (!domains.exists(domain)) {
            throw ProblemException.notFound("domain", domain);
        }
    }

    private DecisionPage page(DecisionFilter filter, int limit, @Nullable String cursor) {
        if (filter.kind() != null && !KINDS.contains(filter.kind())) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "'kind' must be one of " + String.join(", ", KINDS) + "; was '" + filter.kind() + "'.");
        }
        return decisions.page(filter, DecisionKey.CURSORS.paging(limit, cursor));
    }
}
