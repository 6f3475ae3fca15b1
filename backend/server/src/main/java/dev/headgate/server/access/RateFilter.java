package dev.headgate.server.access;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests beyond a caller's rate, and tells every caller its remaining quota, in the fields of
 * the IETF's draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-10). A caller is the token, all browser
 * sessions of a token, or else an address.
 */
final class RateFilter extends OncePerRequestFilter {

    /** What a caller may. */
    static final String POLICY = "RateLimit-Policy";

    /** What is left of it. */
    static final String QUOTA = "RateLimit";

    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final Pattern COUNTED = Pattern.compile("/(api|v3|actuator(?!/health)|v2)(/.*)?");
    private static final Pattern STATEMENTS = Pattern.compile("/api/v1/domains/[^/]+/sql(/.*)?");

    private final RequestRates rates;
    private final ProblemWriter problems;

    RateFilter(RequestRates rates, ProblemWriter problems) {
        this.rates = rates;
        this.problems = problems;
    }

    /**
     * Skips pages, which are files, and health, which must always be answered. Statements of programs are bounded where their
     * connections are: at the gate of the domain.
     */
    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !counts(request.getMethod(), request.getServletPath()); // decoded, as controllers are chosen by it
    }

    /** Whether a request counts, and its answer tells what is left. */
    static boolean counts(String method, String path) {
        return COUNTED.matcher(path).matches()
                && (READING.contains(method) || !STATEMENTS.matcher(path).matches());
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        RequestRates.Verdict verdict = rates.ask(Access.callerOf(request));
        response.setHeader(POLICY, "\"requests\";q=%d;w=%d".formatted(rates.atOnce(), RequestRates.SECONDS_AT_ONCE));
        response.setHeader(
                QUOTA, "\"requests\";r=%d;t=%d".formatted(verdict.remaining(), wholeSeconds(verdict.untilFull())));
        if (verdict.allowed()) {
            chain.doFilter(request, response);
        } else {
            problems.write(
                    request,
                    response,
                    ProblemException.retry(
                            ProblemType.TOO_MANY_REQUESTS,
                            "More than " + rates.perSecond()
                                    + " requests per second (headgate.limits.requests-per-second).",
                            verdict.untilNext()));
        }
    }

    private static long wholeSeconds(Duration time) {
        return time.plusMillis(999).toSeconds();
    }
}
