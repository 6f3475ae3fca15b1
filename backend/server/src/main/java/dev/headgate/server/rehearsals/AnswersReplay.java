package dev.headgate.server.rehearsals;

import dev.headgate.server.limits.Preferences;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Tells the OpenAPI document what a replay may answer. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Refuses({ProblemType.CONFLICT, ProblemType.INVALID_REQUEST, ProblemType.INVALID_POLICY_SET})
@ApiResponse(
        responseCode = "200",
        description = "What would have happened",
        content = @Content(schema = @Schema(implementation = ReplayResult.class)))
@ApiResponse(
        responseCode = "202",
        description = "The replay runs",
        headers = {@Header(name = "Location"), @Header(name = Preferences.APPLIED)},
        content = @Content(schema = @Schema(implementation = ReplayRun.class)))
@interface AnswersReplay {}
