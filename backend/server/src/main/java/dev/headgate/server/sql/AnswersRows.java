package dev.headgate.server.sql;

import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The answer of an operation that executes statements, in each of its formats. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ApiResponse(
        responseCode = "200",
        description = "The rows, as they arrive. docs/sql.md describes the records.",
        content = {
            @Content(mediaType = SqlAnswers.NDJSON, schema = @Schema(type = "string")),
            @Content(mediaType = SqlAnswers.JSON, schema = @Schema(type = "object")),
            @Content(mediaType = SqlAnswers.CSV, schema = @Schema(type = "string")),
            @Content(mediaType = SqlAnswers.ARROW, schema = @Schema(type = "string", format = "binary"))
        })
@interface AnswersRows {}
