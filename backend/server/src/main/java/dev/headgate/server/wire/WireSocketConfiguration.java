package dev.headgate.server.wire;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.limits.Handshakes;
import dev.headgate.server.limits.PromptlyClosed;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetSocketAddress;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;

/** The wire port's second door, for programs that have no sockets of their own. */
@Configuration(proxyBeanMethods = false)
class WireSocketConfiguration {

    private static final String PATH = "/v2";

    /** Allows all origins here, because the filter of {@code access} checks them before any handshake. */
    @Bean
    WebSocketConfigurer wireSocket(WireServer server, Supervisor supervisor, Handshakes handshakes) {
        return registry -> registry.addHandler(new PromptlyClosed(new WireSocketHandler(server, supervisor)), PATH)
                .setHandshakeHandler(handshakes.taking())
                .addInterceptors(handshakes.declaring(WireSocketConfiguration::requireUnread, "address"))
                .setAllowedOriginPatterns("*");
    }

    /** The client shows its password itself, so only where nobody reads it on the way: under TLS, or on this machine. */
    private static void requireUnread(HttpServletRequest request) {
        if (!request.isSecure()
                && !new InetSocketAddress(request.getRemoteAddr(), 0)
                        .getAddress()
                        .isLoopbackAddress()) {
            throw ProblemException.of(
                    ProblemType.FORBIDDEN,
                    "Passwords come by " + PATH + " as they are, so it is open only under TLS and to this machine.");
        }
    }
}
