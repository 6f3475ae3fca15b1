package dev.headgate.server.sql;

import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import java.io.IOException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Asks several domains at once. */
@RestController
@Tag(name = "sql")
class ScatterController {

    private final Sql sql;
    private final SqlAnswers answers;

    ScatterController(Sql sql, SqlAnswers answers) {
        this.sql = sql;
        this.answers = answers;
    }

    @PostMapping(path = "/api/v1/sql/scatter", consumes = SqlAnswers.JSON, produces = SqlAnswers.NDJSON)
    @ApiResponse(
            responseCode = "200",
            description = "Records of all branches. docs/sql.md describes them.",
            content = @Content(mediaType = SqlAnswers.NDJSON, schema = @Schema(type = "string")))
    @RefusesSql
    void scatterSql(@Valid @RequestBody ScatterRequest body, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        SqlTimes times = new SqlTimes();
        answers.gather(request, response, times, () -> sql.scatter(body, times));
    }
}
