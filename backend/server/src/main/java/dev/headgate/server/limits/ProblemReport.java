package dev.headgate.server.limits;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/**
 * A problem in place of the container's HTML page, where a request is so broken that no filter ever sees it: a request line, a
 * header or an encoding that HTTP does not allow. Made by Tomcat.
 */
public final class ProblemReport extends ErrorReportValve {

    @Override
    protected void report(Request request, Response response, @Nullable Throwable thrown) {
        int status = response.getStatus();
        if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        if (status == HttpServletResponse.SC_NOT_IMPLEMENTED
                || status
                        == HttpServletResponse
                                .SC_HTTP_VERSION_NOT_SUPPORTED) { // nothing has failed: the request is wrong
            status = HttpServletResponse.SC_BAD_REQUEST;
            response.setStatus(status);
        }
        String body = """
                {"type":"https://headgate.dev/problems/%s","title":"%s","status":%d}""".formatted(
                        status < 500 ? "malformed-request" : "internal",
                        status < 500 ? "The request cannot be read" : "Headgate failed",
                        status);
        try {
            response.setContentType("application/problem+json");
            response.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
            response.finishResponse();
        } catch (IOException e) {
            getContainer().getLogger().debug("The client went away", e);
        }
    }
}
