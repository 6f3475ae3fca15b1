package dev.headgate.server.limits;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/**
 * The request headers that ask for care. Whoever sends one wants the operation only on its condition, so where nobody looks at the
 * header the request is refused.
 */
public enum CareHeaders {
    IF_MATCH(HttpHeaders.IF_MATCH, true, "this operation is based on no revision"),
    IDEMPOTENCY_KEY("Idempotency-Key", true, "this operation would be executed again"),
    IF_NONE_MATCH(
            HttpHeaders.IF_NONE_MATCH, false, "this operation does not depend on whether there is something already"),
    IF_UNMODIFIED_SINCE(
            HttpHeaders.IF_UNMODIFIED_SINCE,
            false,
            "a version is told by its ETag, not by its time; If-Match asks for it");

    private static final List<CareHeaders> ALL = List.of(values());

    private final String header;

    /** Whether GET refuses it too. Of the others it asks for nothing but a shorter answer, which nobody has to give. */
    private final boolean everywhere;

    private final String why;

    CareHeaders(String header, boolean everywhere, String why) {
        this.header = header;
        this.everywhere = everywhere;
        this.why = why;
    }

    /** Those that a request has and that its operation must look at. */
    static List<CareHeaders> of(HttpServletRequest request) {
        return ALL.stream().filter(each -> each.isIn(request)).toList();
    }

    /** Whether a request has one that its operation must look at. */
    public static boolean anyIn(HttpServletRequest request) {
        for (CareHeaders each : ALL) {
            if (each.isIn(request)) {
                return true;
            }
        }
        return false;
    }

    private boolean isIn(HttpServletRequest request) {
        return request.getHeader(header) != null && (everywhere || changes(request.getMethod()));
    }

    /** Whether a request by this method may change something. */
    static boolean changes(@Nullable String method) {
        return !HttpMethod.GET.name().equals(method) && !HttpMethod.HEAD.name().equals(method);
    }

    String header() {
        return header;
    }

    /** Why it is refused where nobody looks at it. */
    String why() {
        return why;
    }
}
