package dev.headgate.server.limits;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpUpgradeHandler;
import jakarta.servlet.http.WebConnection;
import java.io.IOException;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.apache.tomcat.util.net.AbstractEndpoint.Handler.SocketState;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.websocket.server.WsHttpUpgradeHandler;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.socket.WebSocketExtension;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.server.standard.StandardWebSocketUpgradeStrategy;

/**
 * Makes a WebSocket of a connection, as Tomcat does, but expects that a session ends at any time. A thread of its own sends to each
 * session, and ends it when the peer is gone. Tomcat's thread may be opening it then, or answering a ping. Tomcat finds it open, finds it
 * ended a step later, and logs that as an error of the server, with its stack. Any client could fill the log so.
 */
final class Upgrades extends StandardWebSocketUpgradeStrategy {

    @Override
    public void upgrade(
            ServerHttpRequest request,
            ServerHttpResponse response,
            @Nullable String protocol,
            List<WebSocketExtension> extensions,
            @Nullable Principal user,
            WebSocketHandler handler,
            Map<String, Object> attributes) {
        HttpServletRequest asked = new Asked(getHttpServletRequest(request));
        super.upgrade(new ServletServerHttpRequest(asked), response, protocol, extensions, user, handler, attributes);
    }

    /** Is upgraded to a {@link Connection} when Tomcat asks for one of its own. */
    private static final class Asked extends HttpServletRequestWrapper {

        Asked(HttpServletRequest request) {
            super(request);
        }

        @Override
        public <T extends HttpUpgradeHandler> T upgrade(Class<T> type) throws IOException, ServletException {
            return type == WsHttpUpgradeHandler.class
                    ? type.cast(super.upgrade(Connection.class))
                    : super.upgrade(type);
        }
    }

    /** Tomcat makes it, and runs it on its threads. */
    public static final class Connection extends WsHttpUpgradeHandler {

        /** If the session ends meanwhile, it is left as one that ended just afterwards: the peer may answer the close frame. */
        @Override
        public void init(WebConnection connection) {
            try {
                super.init(connection);
            } catch (IllegalStateException ended) {
                // by the thread that sends
            }
        }

        @Override
        public SocketState upgradeDispatch(SocketEvent event) {
            try {
                return super.upgradeDispatch(event);
            } catch (IllegalStateException ended) {
                return SocketState.CLOSED;
            }
        }
    }
}
