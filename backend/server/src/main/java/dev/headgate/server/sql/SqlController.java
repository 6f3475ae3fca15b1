package dev.headgate.server.sql;

import dev.headgate.server.limits.Preferences;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import java.io.IOException;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Executes statements and streams their rows. */
@RestController
@RequestMapping("/api/v1/domains/{domain}/sql")
@Tag(name = "sql")
class SqlController {

    static final String KEY = "Idempotency-Key";

    private final Sql sql;
    private final SqlAnswers answers;
    private final LaterAnswers later;
    private final IdempotencyKeys keys;

    SqlController(Sql sql, SqlAnswers answers, LaterAnswers later, IdempotencyKeys keys) {
        this.sql = sql;
        this.answers = answers;
        this.later = later;
        this.keys = keys;
    }

    @PostMapping(
            consumes = SqlAnswers.JSON,
            produces = {SqlAnswers.NDJSON, SqlAnswers.JSON, SqlAnswers.CSV, SqlAnswers.ARROW})
    @AnswersRows
    @ApiResponse(
            responseCode = "202",
            description = "The answer can be fetched later, at the address in Location",
            headers = {@Header(name = "Location"), @Header(name = Preferences.APPLIED)},
            content =
                    @Content(
                            mediaType = SqlAnswers.JSON,
                            schema = @Schema(implementation = LaterAnswerController.StateJson.class)))
    @RefusesSql
    @Nullable
    ResponseEntity<LaterAnswerController.StateJson> executeSql(
            @PathVariable String domain,
            @RequestHeader(name = Preferences.HEADER, required = false) @Nullable String prefer,
            @Parameter(schema = @Schema(type = "string", minLength = 1, maxLength = 255, pattern = "^[!-~]+$"))
                    @RequestHeader(name = KEY, required = false)
                    @Nullable
                    String key,
            @Valid @RequestBody SqlRequest body,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        boolean async = Preferences.respondAsync(prefer);
        if (key != null) {
            answers.requireNdjson(request);
            IdempotencyKeys.Claimed claimed = keys.claim(domain, key, body);
            response.setHeader("Idempotency-Replayed", String.valueOf(claimed.again()));
            if (async) {
                return fetchedLater(claimed.answer()); // and so stays attached
            }
            try {
                answers.copy(claimed.answer(), request, response);
            } finally {
                claimed.answer().detach();
            }
            return null;
        }
        if (async) {
            return fetchedLater(later.begin(domain, body));
        }
        stream(domain, body, request, response);
        return null; // it is written
    }

    /** Executes statements and writes their answer at once. */
    void stream(String domain, SqlRequest body, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        SqlTimes times = new SqlTimes();
        answers.write(body, request, response, times, () -> sql.begin(domain, body, times));
    }

    private static ResponseEntity<LaterAnswerController.StateJson> fetchedLater(KeptAnswer begun) {
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/sql/requests/" + begun.id()))
                .header(Preferences.APPLIED, Preferences.RESPOND_ASYNC)
                .contentType(MediaType.APPLICATION_JSON)
                .body(LaterAnswerController.StateJson.of(begun));
    }
}
