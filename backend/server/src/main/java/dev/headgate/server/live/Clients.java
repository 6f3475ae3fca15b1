package dev.headgate.server.live;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.socket.CloseStatus;

/** The mailboxes of all connected clients. Safe for use by several threads. */
@Component
class Clients {

    private final Set<Mailbox> mailboxes = ConcurrentHashMap.newKeySet();
    private final Set<Mailbox> deflated = ConcurrentHashMap.newKeySet();
    private final StreamCounts counts;

    Clients(StreamCounts counts) {
        this.counts = counts;
    }

    /** @param deflates whether its frames are compressed */
    void add(Mailbox mailbox, boolean deflates) {
        if (deflates) {
            deflated.add(mailbox);
        }
        if (mailboxes.add(mailbox)) {
            counts.connected();
        }
    }

    void remove(Mailbox mailbox) {
        deflated.remove(mailbox);
        if (mailboxes.remove(mailbox)) {
            counts.disconnected();
        }
    }

    /** How many clients have their frames compressed. */
    int deflated() {
        return deflated.size();
    }

    /** Tells the clients before the server stops. */
    @EventListener
    void on(ContextClosedEvent end) {
        each(mailbox -> mailbox.close(CloseStatus.GOING_AWAY));
    }

    void each(Consumer<Mailbox> action) {
        mailboxes.forEach(action);
    }
}
