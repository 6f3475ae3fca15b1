package dev.headgate.server.history;

import dev.headgate.engine.governor.Decision;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Page;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.limits.LongWork;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
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

    private static final int DEFAULT_MINUTES = 5;

    /** Bytes of one row in an answer: its figures, as objects and as text. */
    private static final long ROW_BYTES = 13 * 40;

    private static final long MINUTE_BYTES = 60 * ROW_BYTES;

    /** Bytes of one figure of a connection in an answer, as an object and as text. */
    private static final long FIGURE_BYTES = 40;

    /** Bytes of a chunk that is read for an answer. */
    private static final long CHUNK_BYTES = 32 << 10;

    private static final String WITHOUT_FROM = "'from' is missing: a range begins somewhere.";

    private final History history;
    private final Ranges ranges;
    private final DecisionLog decisions;
    private final Explanations explanations;
    private final Domains domains;
    private final ConnectionHistory connections;
    private final ConnectionRanges connectionRanges;
    private final LongRequests longRequests;

    HistoryController(
            History history,
            ConnectionHistory connections,
            ConnectionRanges connectionRanges,
            Ranges ranges,
            DecisionLog decisions,
            Explanations explanations,
            Domains domains,
            LongRequests longRequests) {
        this.longRequests = longRequests;
        this.explanations = explanations;
        this.history = history;
        this.connections = connections;
        this.connectionRanges = connectionRanges;
        this.ranges = ranges;
        this.decisions = decisions;
        this.domains = domains;
    }

    /**
     * The last minutes, a row a second; or any kept range.
     *
     * @param minutes 5 by default
     * @param from included
     * @param to not included; by default now
     * @param step the length of a row; by default one with at most 1,200 rows
     */
    @GetMapping("/domains/{domain}/history")
    HistoryJson history(
            @PathVariable String domain,
            @RequestParam(required = false) @Range(min = 1, max = 60) @Nullable Integer minutes,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @Schema(pattern = StepText.PATTERN) @RequestParam(required = false) @Nullable String step) {
        if (from == null && to == null && step == null) {
            require(domain);
            int length = minutes == null ? DEFAULT_MINUTES : minutes;
            return length <= SHORT_MINUTES
                    ? past(domain, length)
                    : longRequests.answer(work(domain, length * MINUTE_BYTES), progress -> past(domain, length));
        }
        if (minutes != null) {
            throw malformed("'minutes' stands alone: a range is told by 'from', 'to' and 'step'.");
        }
        if (from == null) {
            throw malformed(WITHOUT_FROM);
        }
        return range(domain, from, to, step == null ? null : StepText.seconds(step));
    }

    private HistoryJson range(String domain, Instant from, @Nullable Instant to, @Nullable Integer step) {
        requireOrder(from, to);
        Span span = ranges.span(begin(from), end(to), step);
        requireFew(span, Span.MOST_ASKED, "rows");
        return span.periods() <= SHORT_MINUTES * 60
                ? ranges.of(domain, span)
                : longRequests.answer(
                        work(domain, span.rows() * ROW_BYTES + span.periods() / Chunk.ROWS * CHUNK_BYTES),
                        progress -> ranges.of(domain, span));
    }

    private ConnectionHistoryJson connectionRange(
            String domain, Instant from, @Nullable Instant to, @Nullable Integer step, @Nullable String connection) {
        requireOrder(from, to);
        ConnectionRanges.Reading reading = connectionRanges.reading(domain, begin(from), end(to), step);
        requireFew(reading.span(), ConnectionRanges.MOST_ASKED, "columns");
        return reading.bytes() <= SHORT_MINUTES * MINUTE_BYTES
                ? connectionRanges.of(reading, connection)
                : longRequests.answer(
                        work(domain, reading.bytes()), progress -> connectionRanges.of(reading, connection));
    }

    private static LongWork work(String domain, long bytes) {
        return new LongWork(LongWork.Kind.HISTORY, "domains/" + domain, bytes);
    }

    /** The first whole second. */
    private static long begin(Instant from) {
        return from.getNano() == 0 ? from.getEpochSecond() : from.getEpochSecond() + 1;
    }

    private static long end(@Nullable Instant to) {
        return to == null ? Long.MAX_VALUE : to.getEpochSecond();
    }

    private static void requireOrder(Instant from, @Nullable Instant to) {
        if (to != null && !from.isBefore(to)) {
            throw malformed("'from' must be before 'to'; was " + from + ", and 'to' was " + to + ".");
        }
    }

    private static void requireFew(Span span, int most, String rows) {
        if (span.rows() > most) {
            throw malformed("A 'step' of " + span.step() + "s makes " + span.rows() + " " + rows
                    + " of this range, and an answer"
                    + " has at most " + most + ". Use at least "
                    + Math.ceilDiv(span.to() - span.from(), most - 1L) + "s, or leave it out.");
        }
    }

    private static ProblemException malformed(String detail) {
        return ProblemException.of(ProblemType.MALFORMED_REQUEST, detail);
    }

    private HistoryJson past(String domain, int minutes) {
        return history.of(domain, Duration.ofMinutes(minutes)).orElseGet(HistoryJson::none);
    }

    /**
     * The last five minutes of every connection that was open in them, a column a second; or any kept range.
     *
     * @param from included
     * @param to not included; by default now
     * @param step the length of a column; by default one with at most 300 columns
     * @param connection the only one that is wanted
     */
    @GetMapping("/domains/{domain}/connections/history")
    ConnectionHistoryJson readConnectionHistory(
            @PathVariable String domain,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @Schema(pattern = StepText.PATTERN) @RequestParam(required = false) @Nullable String step,
            @RequestParam(required = false) @Size(max = 100) @Nullable String connection) {
        if (from != null) {
            return connectionRange(domain, from, to, step == null ? null : StepText.seconds(step), connection);
        }
        if (to != null || step != null || connection != null) {
            throw malformed(WITHOUT_FROM);
        }
        require(domain);
        long bytes = connections.figures(domain) * FIGURE_BYTES;
        return bytes <= SHORT_MINUTES * MINUTE_BYTES
                ? connections.of(domain)
                : longRequests.answer(work(domain, bytes), progress -> connections.of(domain));
    }

    /** @param at the instant to explain; by default now */
    @GetMapping("/domains/{domain}/why")
    Explanation explain(@PathVariable String domain, @RequestParam(required = false) @Nullable Instant at) {
        require(domain);
        return explanations.of(domain, at);
    }

    /**
     * @param policy in the set of the domain or of its database
     * @param q part of the message or of a name
     */
    @GetMapping("/domains/{domain}/decisions")
    DecisionPage listDomainDecisions(
            @PathVariable String domain,
            @OfKind @RequestParam(required = false) @Nullable String kind,
            @RequestParam(required = false) @Nullable String policy,
            @RequestParam(required = false) @Size(max = 100, message = "must have at most 100 characters") @Nullable
                    String q,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        require(domain);
        return page(new DecisionFilter(domain, null, kind, policy, q, from, to), limit, cursor);
    }

    /**
     * @param policy in the set of a domain or of a database
     * @param q part of the message or of a name
     */
    @GetMapping("/decisions")
    DecisionPage listDecisions(
            @RequestParam(required = false) @Nullable String domain,
            @RequestParam(required = false) @Nullable String database,
            @OfKind @RequestParam(required = false) @Nullable String kind,
            @RequestParam(required = false) @Nullable String policy,
            @RequestParam(required = false) @Size(max = 100, message = "must have at most 100 characters") @Nullable
                    String q,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        return page(new DecisionFilter(domain, database, kind, policy, q, from, to), limit, cursor);
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
