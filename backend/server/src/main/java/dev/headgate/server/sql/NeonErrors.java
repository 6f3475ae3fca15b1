package dev.headgate.server.sql;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.sql.SqlFailure;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Errors in the form that Neon's driver reads. */
@Component
final class NeonErrors {

    /** The names of the fields, by their letters in the protocol. */
    private static final Map<String, Character> FIELDS = fields();

    /** As the original's, whose driver tells it from an error of a statement. */
    private static final int TOO_LARGE = 507;

    private final JsonMapper json;

    NeonErrors(JsonMapper json) {
        this.json = json;
    }

    private static Map<String, Character> fields() {
        Map<String, Character> fields = new LinkedHashMap<>();
        fields.put("message", 'M');
        fields.put("code", 'C');
        fields.put("detail", 'D');
        fields.put("hint", 'H');
        fields.put("position", 'P');
        fields.put("internalPosition", 'p');
        fields.put("internalQuery", 'q');
        fields.put("severity", 'S');
        fields.put("where", 'W');
        fields.put("table", 't');
        fields.put("column", 'c');
        fields.put("schema", 's');
        fields.put("dataType", 'd');
        fields.put("constraint", 'n');
        fields.put("file", 'F');
        fields.put("line", 'L');
        fields.put("routine", 'R');
        return fields;
    }

    /** The driver reads the fields of an error only from a 400. A refusal at the gate may be tried again. */
    void write(HttpServletResponse response, SqlFailure failure) throws IOException {
        Map<String, @Nullable String> body = new LinkedHashMap<>();
        FIELDS.forEach((name, letter) -> body.put(name, failure.field(letter)));
        int status =
                SqlStates.type(failure) == ProblemType.SQL_TOO_LARGE ? TOO_LARGE : HttpServletResponse.SC_BAD_REQUEST;
        if (failure.refusal().isPresent()) {
            ProblemException refused = SqlStates.problem(failure);
            status = refused.type().status();
            retryAfter(response, refused);
            body.put("message", refused.getMessage());
        }
        write(response, status, body);
    }

    /** @param code an SQLSTATE */
    void write(HttpServletResponse response, int status, String code, String message) throws IOException {
        Map<String, @Nullable String> body = new LinkedHashMap<>();
        body.put("message", message);
        body.put("code", code);
        write(response, status, body);
    }

    void write(HttpServletResponse response, ProblemException problem) throws IOException {
        retryAfter(response, problem);
        if (problem.type() == ProblemType.INVALID_REQUEST) { // only a read-only transaction's rules are the cause here
            String sentence = "the statement " + problem.faults().getFirst().message();
            write(response, HttpServletResponse.SC_BAD_REQUEST, "25006", sentence);
            return;
        }
        boolean large = problem.type() == ProblemType.PAYLOAD_TOO_LARGE;
        String code = switch (problem.type()) {
            case MALFORMED_REQUEST -> "22023";
            case UNSUPPORTED_MEDIA_TYPE -> "0A000";
            default -> "53000";
        };
        write(response, large ? TOO_LARGE : problem.type().status(), code, String.valueOf(problem.getMessage()));
    }

    private static void retryAfter(HttpServletResponse response, ProblemException problem) {
        Long seconds = problem.retryAfterSeconds();
        if (seconds != null) {
            response.setHeader("Retry-After", seconds.toString());
        }
    }

    private void write(HttpServletResponse response, int status, Map<String, @Nullable String> body)
            throws IOException {
        response.resetBuffer();
        response.setStatus(status);
        response.setContentType(MediaType.APPLICATION_JSON_VALUE);
        response.getOutputStream()
                .write(json.writeValueAsBytes(body)); // does not close the body of the request, as the mapper would
    }
}
