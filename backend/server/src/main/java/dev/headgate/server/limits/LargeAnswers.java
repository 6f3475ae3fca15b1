package dev.headgate.server.limits;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The reads whose answers may be large, and an estimate of them: the objects and the text that an answer is until it is written. By
 * their paths, because some are answered by libraries. What is not here is small, or reserves by itself what it reads.
 */
final class LargeAnswers {

    /** A page of 500 decisions, an hour of a domain's seconds, the metrics of a thousand domains. */
    static final long BYTES = 1 << 20;

    private static final Set<String> READING = Set.of("GET", "HEAD");

    private static final Pattern LARGE = Pattern.compile("/actuator/prometheus|/v3/.*"
            + "|/api/v1/(.+/)?(history|decisions)"
            + "|/api/v1/experiments/(comparison|runs/[^/]+(/.+)?)");

    private LargeAnswers() {}

    /** An estimate of the answer's bytes; 0 for a small one. */
    static long bytes(HttpServletRequest request) {
        String path = request.getServletPath(); // decoded, as controllers are chosen by it
        return READING.contains(request.getMethod()) && isLarge(path) ? BYTES : 0;
    }

    static boolean isLarge(String path) {
        return LARGE.matcher(path).matches();
    }
}
