package dev.headgate.server.live;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.access.Access;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.socket.BinaryMessage;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.AbstractWebSocketHandler;

/** The socket side of the stream: creates each client's mailbox and thread, and forwards its subscriptions. */
final class StreamHandler extends AbstractWebSocketHandler {

    private final Client.Station station;
    private final Clients clients;
    private final Access access;
    private final Supervisor supervisor;
    private final MemoryAccount account;
    private final Duration sendTimeout;
    private final SubscriptionReader reader;
    private final Map<String, Inbox> inboxes = new ConcurrentHashMap<>();

    StreamHandler(
            Client.Station station,
            Clients clients,
            Access access,
            Supervisor supervisor,
            MemoryAccount account,
            Duration sendTimeout) {
        this.supervisor = supervisor;
        this.account = account;
        this.station = station;
        this.clients = clients;
        this.access = access;
        this.sendTimeout = sendTimeout;
        this.reader = new SubscriptionReader(station.mapper());
    }

    @Override
    public void afterConnectionEstablished(WebSocketSession session) {
        Line line = new SocketLine(session, access, sendTimeout);
        if (!line.isAllowed()) {
            line.close(Client.UNAUTHENTICATED);
            return;
        }
        ClientMemory memory = ClientMemory.of(account, access.caller(session.getPrincipal(), session.getId()));
        Mailbox mailbox = new Mailbox(station.mapper(), station.counts(), memory);
        inboxes.put(session.getId(), new Inbox(mailbox, reader, memory.few()));
        clients.add(mailbox, !session.getExtensions().isEmpty());
        Thread.Builder threads = Thread.ofVirtual().name("headgate-stream-" + session.getId());
        Thread _ = supervisor.start("headgate-stream", threads, () -> {
            try (memory) {
                new Client(station, mailbox, line, memory).run();
            } finally {
                forget(session, CloseStatus.NORMAL);
            }
        });
    }

    /** A long message comes in parts of the container's buffer, which each session has for its whole life. */
    @Override
    public boolean supportsPartialMessages() {
        return true;
    }

    @Override
    protected void handleTextMessage(WebSocketSession session, TextMessage message) {
        Inbox inbox = inboxes.get(session.getId());
        if (inbox != null) {
            inbox.receive(message.getPayload(), message.isLast());
        }
    }

    @Override
    protected void handleBinaryMessage(WebSocketSession session, BinaryMessage message) {
        Inbox inbox = inboxes.get(session.getId());
        if (inbox != null) {
            inbox.receiveOther();
        }
    }

    @Override
    public void afterConnectionClosed(WebSocketSession session, CloseStatus status) {
        forget(session, status);
    }

    private void forget(WebSocketSession session, CloseStatus status) {
        @Nullable Inbox inbox = inboxes.remove(session.getId());
        if (inbox != null) {
            clients.remove(inbox.mailbox());
            inbox.mailbox().close(status);
        }
    }
}
