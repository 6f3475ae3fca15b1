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

    private static final String FORM = Form.class.getName();

    private final JsonMapper json;

    /** Another form of refusals, for a door whose callers know no problems. */
    public interface Form {
        void write(HttpServletResponse response, ProblemException refusal) throws IOException;
    }

    ProblemWriter(JsonMapper json) {
        this.json = json;
    }

    /** From now on, what refuses this request is written in that form. */
    public static void answer(HttpServletRequest request, Form as) {
        request.setAttribute(FORM, as);
    }

    public void write(HttpServletRequest request, HttpServletResponse response, ProblemException problem)
            throws IOException {
        if (request.getAttribute(FORM) instanceof Form form) {
            form.write(response, problem);
            return;
        }
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
        // the mapper would close the stream, and with it the request's body, which may be read later
        response.getOutputStream().write(json.writeValueAsBytes(ProblemJson.of(problem, request.getRequestURI())));
    }
}
