package dev.headgate.server.limits;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.ProblemWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketHttpHeaders;
import org.springframework.web.socket.server.HandshakeHandler;
import org.springframework.web.socket.server.HandshakeInterceptor;
import org.springframework.web.socket.server.support.DefaultHandshakeHandler;

/** Refuses what is no handshake of a WebSocket, or not as declared, by a problem. Spring would answer with a text, or with nothing. */
@Component
public final class Handshakes {

    private static final String VERSION = "13";

    private final ProblemWriter problems;

    Handshakes(ProblemWriter problems) {
        this.problems = problems;
    }

    /** What else is asked of handshakes at a path. */
    public interface Rule {
        /** @throws ProblemException if it is not kept */
        void check(HttpServletRequest request);
    }

    /** What takes the handshakes that are not refused. */
    public HandshakeHandler taking() {
        return new DefaultHandshakeHandler(new Upgrades());
    }

    /** Checks handshakes that may have these query parameters. */
    public HandshakeInterceptor declaring(String... parameters) {
        return declaring(request -> {}, parameters);
    }

    /** The same with a rule. */
    public HandshakeInterceptor declaring(Rule rule, String... parameters) {
        return new Checking(rule, DeclaredParameters.texts(parameters));
    }

    private final class Checking implements HandshakeInterceptor {

        private final Rule rule;
        private final Map<String, DeclaredParameters.Query> parameters;

        Checking(Rule rule, Map<String, DeclaredParameters.Query> parameters) {
            this.rule = rule;
            this.parameters = parameters;
        }

        @Override
        public boolean beforeHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                Map<String, Object> attributes)
                throws IOException {
            HttpServletRequest asked = ((ServletServerHttpRequest) request).getServletRequest();
            HttpServletResponse answer = ((ServletServerHttpResponse) response).getServletResponse();
            try {
                requireHandshake(asked, answer);
                DeclaredParameters.check(asked, parameters, Set.of());
                rule.check(asked);
                return true;
            } catch (ProblemException refused) {
                problems.write(asked, answer, refused);
                return false;
            }
        }

        @Override
        public void afterHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                @Nullable Exception exception) {
            // nothing to do
        }
    }

    /** RFC 6455, section 4.2.1. */
    private static void requireHandshake(HttpServletRequest request, HttpServletResponse response) {
        if (!request.getMethod().equals(HttpMethod.GET.name())) {
            response.setHeader(HttpHeaders.ALLOW, HttpMethod.GET.name());
            throw ProblemException.of(
                    ProblemType.METHOD_NOT_ALLOWED,
                    "A WebSocket is opened by GET, not by " + request.getMethod() + ".");
        }
        if (!names(request.getHeader(HttpHeaders.UPGRADE), "websocket")
                || !names(request.getHeader(HttpHeaders.CONNECTION), "upgrade")
                || request.getHeader(WebSocketHttpHeaders.SEC_WEBSOCKET_KEY) == null) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "This is a WebSocket. Send its handshake, with Upgrade: websocket, Connection: Upgrade and a"
                            + " Sec-WebSocket-Key.");
        }
        if (!VERSION.equals(request.getHeader(WebSocketHttpHeaders.SEC_WEBSOCKET_VERSION))) {
            response.setHeader(WebSocketHttpHeaders.SEC_WEBSOCKET_VERSION, VERSION);
            throw ProblemException.of(ProblemType.MALFORMED_REQUEST, "Sec-WebSocket-Version must be " + VERSION + ".");
        }
    }

    private static boolean names(@Nullable String header, String token) {
        return header != null
                && Arrays.stream(header.split(","))
                        .anyMatch(each -> each.strip().equalsIgnoreCase(token));
    }
}
