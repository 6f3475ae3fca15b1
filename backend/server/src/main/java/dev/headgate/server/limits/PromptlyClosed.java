package dev.headgate.server.limits;

import org.apache.tomcat.websocket.WsWebSocketContainer;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.adapter.standard.StandardWebSocketSession;
import org.springframework.web.socket.handler.WebSocketHandlerDecorator;

/**
 * Gives the peer of a WebSocket a second, and up to another one, to answer a close frame. Tomcat would keep the connection for 30 to 40 s,
 * also that of a stranger who was refused, and an upgraded connection makes room for no other.
 */
public final class PromptlyClosed extends WebSocketHandlerDecorator {

    /** Tomcat's property for the time between a close frame and the end of the connection, in milliseconds. */
    private static final String CLOSE_TIMEOUT = "org.apache.tomcat.websocket.SESSION_CLOSE_TIMEOUT";

    private static final long CLOSE_MILLIS = 1_000;

    public PromptlyClosed(WebSocketHandler handler) {
        super(handler);
    }

    @Override
    public void afterConnectionEstablished(WebSocketSession session) throws Exception {
        if (session instanceof StandardWebSocketSession standard) {
            standard.getNativeSession().getUserProperties().put(CLOSE_TIMEOUT, CLOSE_MILLIS);
            if (standard.getNativeSession().getContainer() instanceof WsWebSocketContainer container) {
                container.setProcessPeriod(1); // in seconds, how often it looks; of its own accord every 10
            }
        }
        super.afterConnectionEstablished(session);
    }
}
