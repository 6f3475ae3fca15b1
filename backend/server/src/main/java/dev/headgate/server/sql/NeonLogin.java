package dev.headgate.server.sql;

import dev.headgate.server.access.Access;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.ProblemWriter;
import dev.headgate.wire.WirePort;
import dev.headgate.wire.auth.PasswordChecks;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Authenticates a request of Neon's driver by the user and password in its connection string, before its body is read. Whoever
 * has shown a password may send a body of full length.
 */
@Component
@Order(0) // after the security filters, before the limits
final class NeonLogin extends OncePerRequestFilter {

    private static final String DOMAIN = NeonLogin.class.getName();

    private final ClientPasswords passwords;
    private final Access access;
    private final NeonErrors errors;

    NeonLogin(ClientPasswords passwords, Access access, NeonErrors errors) {
        this.passwords = passwords;
        this.access = access;
        this.errors = errors;
    }

    /** The domain that this request's client has shown its password for. */
    static String domain(HttpServletRequest request) {
        return (String) Objects.requireNonNull(request.getAttribute(DOMAIN), "nobody has logged in");
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !request.getServletPath().equals(NeonController.PATH) // decoded, as controllers are chosen by it
                || !request.getMethod().equals("POST");
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        ProblemWriter.answer(request, errors::write);
        @Nullable String header = request.getHeader(ConnectionString.HEADER);
        ConnectionString wanted;
        try {
            wanted = ConnectionString.parse(header == null ? "" : header);
        } catch (IllegalArgumentException e) {
            errors.write(response, HttpServletResponse.SC_BAD_REQUEST, "08001", String.valueOf(e.getMessage()));
            return;
        }
        boolean right;
        try {
            right = isRight(request, wanted);
        } catch (PasswordChecks.Busy e) {
            errors.write(
                    response,
                    ProblemException.retry(
                            ProblemType.UNAVAILABLE, String.valueOf(e.getMessage()), Duration.ofSeconds(1)));
            return;
        }
        if (!right) {
            Optional<ProblemException> tooOften = access.wrongPassword(request, wanted.database(), wanted.user());
            if (tooOften.isPresent()) {
                errors.write(response, tooOften.get());
            } else {
                errors.write(
                        response,
                        HttpServletResponse.SC_UNAUTHORIZED,
                        "28P01",
                        "password authentication failed for user \"" + wanted.user() + "\"");
            }
            return;
        }
        access.admitClient(wanted.database(), wanted.user());
        request.setAttribute(DOMAIN, wanted.database());
        chain.doFilter(request, response);
    }

    private boolean isRight(HttpServletRequest request, ConnectionString wanted) throws PasswordChecks.Busy {
        return !wanted.database().equals(WirePort.CONSOLE)
                && passwords.areRight(
                        String.valueOf(request.getRemoteAddr()), wanted.database(), wanted.user(), wanted.password());
    }
}
