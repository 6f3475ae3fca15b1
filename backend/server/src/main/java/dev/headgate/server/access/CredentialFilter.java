package dev.headgate.server.access;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.WebUtils;

/**
 * Recognises the administrator's token, the reader's, and browser sessions. A browser sends a cookie with every request, so a change with only a
 * cookie must also name one of our pages as its origin, as every browser does.
 */
final class CredentialFilter extends OncePerRequestFilter {

    static final String COOKIE = "headgate_session";
    private static final String BEARER = "Bearer ";
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

    private final AdminToken token;
    private final ReaderToken readerToken;
    private final Sessions sessions;
    private final FailedLogins failedLogins;
    private final ProblemWriter problems;

    CredentialFilter(
            AdminToken token,
            ReaderToken readerToken,
            Sessions sessions,
            FailedLogins failedLogins,
            ProblemWriter problems) {
        this.token = token;
        this.readerToken = readerToken;
        this.sessions = sessions;
        this.failedLogins = failedLogins;
        this.problems = problems;
    }

    /** The clients of domains show their passwords there, in a header of its own. What else they send is no failed login. */
    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getMethod().equals("POST") && request.getServletPath().equals("/sql");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        @Nullable String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
        @Nullable Cookie cookie = WebUtils.getCookie(request, COOKIE);
        if (authorization != null) {
            Actor bearer = bearer(authorization);
            if (bearer != null) {
                SecurityContextHolder.getContext().setAuthentication(new Credential(bearer, null));
            } else if (isTooOften(request, response, "token")) {
                return;
            }
        } else if (cookie != null && sessions.isOpen(cookie.getValue())) {
            if (!READING.contains(request.getMethod()) && request.getHeader(HttpHeaders.ORIGIN) == null) {
                problems.write(
                        request,
                        response,
                        ProblemException.of(
                                ProblemType.ORIGIN_REFUSED,
                                "A change made with a session cookie needs an Origin header; scripts use the token."));
                return;
            }
            SecurityContextHolder.getContext()
                    .setAuthentication(new Credential(sessions.actor(cookie.getValue()), cookie.getValue()));
        } else if (cookie != null
                && !sessions.wasOpened(cookie.getValue())
                && isTooOften(request, response, "session")) {
            return;
        }
        chain.doFilter(request, response);
    }

    private @Nullable Actor bearer(String authorization) {
        if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return null;
        }
        String offered = authorization.substring(BEARER.length()).strip();
        return token.matches(offered) ? Actor.ADMIN : readerToken.matches(offered) ? Actor.READER : null;
    }

    /** Records a failed login, and refuses the request if its address has failed too often. */
    private boolean isTooOften(HttpServletRequest request, HttpServletResponse response, String shown)
            throws IOException {
        Optional<ProblemException> refusal = failedLogins.failed(String.valueOf(request.getRemoteAddr()), shown);
        if (refusal.isEmpty()) {
            return false;
        }
        problems.write(request, response, refusal.get());
        return true;
    }
}
