package dev.headgate.server.wire;

import dev.headgate.engine.supervision.Supervisor;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.server.HandshakeInterceptor;

/** The wire port's second door, for programs that have no sockets of their own. */
@Configuration(proxyBeanMethods = false)
class WireSocketConfiguration {

    private static final String PATH = "/v2";

    /** Allows all origins here, because the filter of {@code access} checks them before any handshake. */
    @Bean
    WebSocketConfigurer wireSocket(WireServer server, Supervisor supervisor) {
        return registry -> registry.addHandler(new WireSocketHandler(server, supervisor), PATH)
                .addInterceptors(new Unread())
                .setAllowedOriginPatterns("*");
    }

    /** The client shows its password itself, so only where nobody reads it on the way: under TLS, or on this machine. */
    private static final class Unread implements HandshakeInterceptor {

        @Override
        public boolean beforeHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                Map<String, Object> attributes) {
            boolean secure = request instanceof ServletServerHttpRequest servlet
                    && servlet.getServletRequest().isSecure();
            if (secure || request.getRemoteAddress().getAddress().isLoopbackAddress()) {
                return true;
            }
            response.setStatusCode(HttpStatus.FORBIDDEN);
            return false;
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
}
