package dev.headgate.server.live;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

/** The mailboxes of all clients that are connected. Safe for use by several threads. */
@Component
class Clients {

    private final Set<Mailbox> mailboxes = ConcurrentHashMap.newKeySet();
    private final StreamCounts counts;

    Clients(StreamCounts counts) {
        this.counts = counts;
    }

    void add(Mailbox mailbox) {
        if (mailboxes.add(mailbox)) {
            counts.connected();
        }
    }

    void remove(Mailbox mailbox) {
        if (mailboxes.remove(mailbox)) {
            counts.disconnected();
        }
    }

    void each(Consumer<Mailbox> action) {
        mailboxes.forEach(action);
    }
}
