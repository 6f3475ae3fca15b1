package dev.headgate.server.access;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses REST requests and WebSocket handshakes with a foreign host name or from a foreign page. */
final class OriginFilter extends OncePerRequestFilter {

    private final Origins origins;
    private final ProblemWriter problems;

    OriginFilter(Origins origins, ProblemWriter problems) {
        this.origins = origins;
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        @Nullable String host = request.getHeader(HttpHeaders.HOST);
        @Nullable String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (!origins.isOurHost(host)) {
            refuse(
                    request,
                    response,
                    "The host '" + host + "' is not allowed. Allowed are IP addresses, localhost, and the names in"
                            + " headgate.access.allowed-hosts.");
        } else if (!origins.isAllowed(origin, host == null ? null : host.toLowerCase(Locale.ROOT))) {
            refuse(
                    request,
                    response,
                    "The origin '" + origin + "' is not allowed. Allowed are Headgate's own origin and those in"
                            + " headgate.access.allowed-origins.");
        } else {
            chain.doFilter(request, response);
        }
    }

    private void refuse(HttpServletRequest request, HttpServletResponse response, String detail) throws IOException {
        problems.write(request, response, ProblemException.of(ProblemType.ORIGIN_REFUSED, detail));
    }
}
