package dev.headgate.server.problems;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Writes problems where no controller is involved yet: in filters. */
@Component
public final class ProblemWriter {

    private final JsonMapper json;

    ProblemWriter(JsonMapper json) {
        this.json = json;
    }

    public void write(HttpServletRequest request, HttpServletResponse response, ProblemException problem)
            throws IOException {
        response.resetBuffer();
        response.setStatus(problem.type().status());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        if (problem.type() == ProblemType.UNAUTHENTICATED) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        Long retryAfter = problem.retryAfterSeconds();
        if (retryAfter != null) {
            response.setHeader(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfter));
        }
        json.writeValue(response.getOutputStream(), ProblemJson.of(problem, request.getRequestURI()));
    }
}
