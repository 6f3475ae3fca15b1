package dev.headgate.server.sql;

import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import java.io.IOException;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Executes statements and streams their rows. */
@RestController
@RequestMapping("/api/v1/domains/{domain}/sql")
@Tag(name = "sql")
class SqlController {

    private final Sql sql;
    private final SqlAnswers answers;

    SqlController(Sql sql, SqlAnswers answers) {
        this.sql = sql;
        this.answers = answers;
    }

    @PostMapping(
            consumes = SqlAnswers.JSON,
            produces = {SqlAnswers.NDJSON, SqlAnswers.JSON, SqlAnswers.CSV})
    @ApiResponse(
            responseCode = "200",
            description = "The rows, as they arrive. docs/sql.md describes the records.",
            content = {
                @Content(mediaType = SqlAnswers.NDJSON, schema = @Schema(type = "string")),
                @Content(mediaType = SqlAnswers.JSON, schema = @Schema(type = "object")),
                @Content(mediaType = SqlAnswers.CSV, schema = @Schema(type = "string"))
            })
    @RefusesSql
    void executeSql(
            @PathVariable String domain,
            @Valid @RequestBody SqlRequest body,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        SqlTimes times = new SqlTimes();
        answers.write(domain, body, request, response, times, () -> sql.begin(domain, body, times));
    }
}
