package dev.headgate.server.limits;

import dev.headgate.server.api.Page;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The reads whose answers may be large, and an estimate of them: the objects and the text that an answer is until it is written. By
 * their paths, because some are answered by libraries. Of a list it is as many entries as are asked for: without that, a thousand
 * requests at once would make a thousand lists, each of which waits for the control store and then for its reader. What is not here is
 * small, or reserves by itself what it reads.
 */
final class LargeAnswers {

    /** A page of 500 decisions, an hour of a domain's seconds, the metrics of a thousand domains. */
    static final long BYTES = 1 << 20;

    /** One entry of a list, such as a domain with its pool. */
    static final long ENTRY_BYTES = 4 << 10;

    private static final Set<String> READING = Set.of("GET", "HEAD");

    private static final Pattern LARGE = Pattern.compile("/actuator/prometheus|/v3/.*"
            + "|/api/v1/(.+/)?(history|decisions)"
            + "|/api/v1/experiments/(comparison|runs/[^/]+(/.+)?)");

    private static final Pattern LIST = Pattern.compile(
            "/api/v1/(alarms|annotations|databases|domains|experiments(/runs)?|log|long-requests|policy-plugins|sql/requests|workloads)"
                    + "|/api/v1/domains/[^/]+/(clients|closed-connections|connections|leases|refusals|size-searches|sql/transactions"
                    + "|waiters|wire-applications|wire-clients)");

    private static final Pattern LIMIT = Pattern.compile("(?:^|&)limit=([0-9]{1,3})(?:&|$)");

    private LargeAnswers() {}

    /** An estimate of the answer's bytes; 0 for a small one. */
    static long bytes(HttpServletRequest request) {
        String path = request.getServletPath(); // decoded, as controllers are chosen by it
        if (!READING.contains(request.getMethod())) {
            return 0;
        }
        return isLarge(path) ? BYTES : isList(path) ? entries(request.getQueryString()) * ENTRY_BYTES : 0;
    }

    /** As many as a query asks for; the most, where it does not say so plainly. */
    static int entries(@Nullable String query) {
        if (query == null) {
            return Integer.parseInt(Page.LIMIT);
        }
        Matcher limit = LIMIT.matcher(query);
        if (limit.find()) {
            return Math.min(Integer.parseInt(limit.group(1)), Page.MOST);
        }
        return query.contains("%") || query.contains("limit=") ? Page.MOST : Integer.parseInt(Page.LIMIT);
    }

    static boolean isList(String path) {
        return LIST.matcher(path).matches();
    }

    static boolean isLarge(String path) {
        return LARGE.matcher(path).matches();
    }
}
