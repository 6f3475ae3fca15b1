package dev.headgate.server.wire;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.wire.MessageClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.socket.BinaryMessage;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.PingMessage;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.BinaryWebSocketHandler;

/**
 * The wire protocol over a WebSocket, as Neon's driver speaks it: binary frames carry the bytes of a connection. Each session has
 * a virtual thread that sends. A thread of the web server that receives blocks while the client's session is busy, which is the
 * backpressure of WebSocket.
 */
final class WireSocketHandler extends BinaryWebSocketHandler {

    private static final String CLIENT = WireSocketHandler.class.getName();

    private final WireServer server;
    private final Supervisor supervisor;

    WireSocketHandler(WireServer server, Supervisor supervisor) {
        this.server = server;
        this.supervisor = supervisor;
    }

    /** A long message comes in parts of the buffer's size. */
    @Override
    public boolean supportsPartialMessages() {
        return true;
    }

    @Override
    public void afterConnectionEstablished(WebSocketSession session) throws IOException {
        InetSocketAddress from = Objects.requireNonNull(session.getRemoteAddress());
        Optional<MessageClient> taken = server.take(from);
        if (taken.isEmpty()) {
            session.close(CloseStatus.SERVICE_OVERLOAD);
            return;
        }
        MessageClient client = taken.get();
        session.getAttributes().put(CLIENT, client);
        Thread _ = supervisor.start(
                "wire-socket", Thread.ofVirtual().name("wire-socket-" + session.getId()), () -> send(session, client));
    }

    private static void send(WebSocketSession session, MessageClient client) {
        try {
            for (byte[] next = client.send(); !MessageClient.isEnd(next); next = client.send()) {
                if (MessageClient.isProbe(next)) {
                    session.sendMessage(new PingMessage());
                } else {
                    session.sendMessage(new BinaryMessage(next));
                    client.sent(next);
                }
            }
            session.close();
        } catch (IOException | IllegalStateException e) {
            client.broken();
        } catch (InterruptedException e) {
            client.broken();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    protected void handleBinaryMessage(WebSocketSession session, BinaryMessage message) throws InterruptedException {
        MessageClient client = client(session);
        if (client != null) {
            ByteBuffer payload = message.getPayload();
            byte[] bytes = new byte[payload.remaining()];
            payload.get(bytes);
            client.received(bytes);
        }
    }

    @Override
    protected void handleTextMessage(WebSocketSession session, TextMessage message) {
        try {
            session.close(CloseStatus.NOT_ACCEPTABLE.withReason("the wire protocol comes in binary frames"));
        } catch (IOException e) {
            // it is gone
        }
    }

    @Override
    public void afterConnectionClosed(WebSocketSession session, CloseStatus status) {
        MessageClient client = client(session);
        if (client != null) {
            client.gone();
        }
    }

    private static @Nullable MessageClient client(WebSocketSession session) {
        return session.getAttributes().get(CLIENT) instanceof MessageClient client ? client : null;
    }
}
