package dev.headgate.server.live;

import dev.headgate.server.access.Access;
import java.io.IOException;
import java.time.Duration;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.adapter.standard.StandardWebSocketSession;

/** A WebSocket session as a line. A client that reads nothing for the given time counts as gone. */
final class SocketLine implements Line {

    /** Tomcat's property for the timeout of a blocking send. */
    private static final String BLOCKING_SEND_TIMEOUT = "org.apache.tomcat.websocket.BLOCKING_SEND_TIMEOUT";

    private final WebSocketSession session;
    private final Access access;

    SocketLine(WebSocketSession session, Access access, Duration sendTimeout) {
        this.session = session;
        this.access = access;
        if (session instanceof StandardWebSocketSession standard) {
            standard.getNativeSession().getUserProperties().put(BLOCKING_SEND_TIMEOUT, sendTimeout.toMillis());
        }
    }

    @Override
    public void send(String part, boolean last) throws IOException {
        try {
            session.sendMessage(new TextMessage(part, last));
        } catch (IllegalStateException e) {
            throw new IOException("the session has ended", e);
        }
    }

    @Override
    public void close(CloseStatus reason) {
        try {
            session.close(reason);
        } catch (IOException | IllegalStateException e) {
            // it has already ended
        }
    }

    @Override
    public boolean isAllowed() {
        return access.isAllowed(session.getPrincipal());
    }
}
