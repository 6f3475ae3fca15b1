package dev.headgate.server.sql;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.limits.Departures;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Requests for SQL whose answers are fetched later ({@code Prefer: respond-async}, RFC 7240). */
@RestController
@RequestMapping("/api/v1/sql/requests")
@Tag(name = "sql")
class LaterAnswerController {

    private static final Cursors<String> BY_ID = Cursors.ofNames("sql-requests");

    private final LaterAnswers answers;
    private final Departures departures;

    LaterAnswerController(LaterAnswers answers, Departures departures) {
        this.answers = answers;
        this.departures = departures;
    }

    /**
     * A request whose answer is fetched later.
     *
     * @param state running, done, failed (the answer's last record says why, unless it broke off) or cancelled
     * @param bytes of the answer so far
     * @param ended null while it is running
     */
    @Schema(name = "SqlRequestState")
    record StateJson(
            String id,
            String domain,
            KeptAnswer.State state,
            long bytes,
            Instant began,
            @Nullable Instant ended) {
        static StateJson of(KeptAnswer answer) {
            return new StateJson(
                    answer.id(), answer.domain(), answer.state(), answer.bytes(), answer.began(), answer.ended());
        }
    }

    /** @param nextCursor null on the last page */
    @Schema(name = "SqlRequestList")
    record StatesList(List<StateJson> items, @Nullable String nextCursor) {}

    @GetMapping
    StatesList listSqlRequests(
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<StateJson> page = BY_ID.paging(limit, cursor)
                .pick(answers.all(), KeptAnswer::id, Comparator.naturalOrder())
                .map(StateJson::of);
        return new StatesList(page.items(), page.nextCursor());
    }

    @GetMapping("/{id}")
    StateJson readSqlRequest(@PathVariable String id) {
        return StateJson.of(answers.get(id));
    }

    /** The answer from an offset in bytes on, and what is still to come. */
    @GetMapping(path = "/{id}/result", produces = SqlAnswers.NDJSON)
    @ApiResponse(
            responseCode = "200",
            description = "The records, as docs/sql.md describes them.",
            content = @Content(mediaType = SqlAnswers.NDJSON, schema = @Schema(type = "string")))
    void readSqlResult(
            @PathVariable String id,
            @RequestParam(defaultValue = "0") @Range(min = 0, max = Long.MAX_VALUE) long offset,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        KeptAnswer answer = answers.get(id);
        if (offset > 0 && answer.isCleared()) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "There was no room for the answer, and a failure has taken its place. It is read from its begin:"
                            + " the offset must be 0, and was " + offset + ".");
        }
        if (offset > answer.bytes()) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "The answer has " + answer.bytes() + " bytes so far, and the offset is " + offset + ".");
        }
        response.setContentType(SqlAnswers.NDJSON);
        response.setHeader("Cache-Control", "no-store");
        try {
            if (!answer.copy(offset, response.getOutputStream(), departures.ofCaller())) {
                departures.breakOff(request);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            departures.breakOff(request);
        }
    }

    /** Cancels the request if it is running, and deletes its answer. */
    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void removeSqlRequest(@PathVariable String id) {
        answers.remove(id);
    }
}
