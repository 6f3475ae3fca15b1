package dev.headgate.server.live;

import dev.headgate.engine.memory.MemoryAccount;
import org.springframework.web.socket.CloseStatus;

/**
 * Gathers the parts of a client's messages, and reads each as a subscription. Parts are as long as the container's small buffer; what
 * waits for the rest is reserved from the client's memory. A message that cannot be taken ends the session. Used by one thread at a
 * time.
 */
final class Inbox {

    /** Characters. A thousand names fit. */
    static final int LONGEST_MESSAGE = 128 * 1024;

    /** Bytes of memory for each character: the text, and what its JSON becomes. */
    private static final long ROOM = 24;

    private static final int MALFORMED = 4400;
    private static final CloseStatus TOO_LONG =
            CloseStatus.TOO_BIG_TO_PROCESS.withReason("a message may have at most " + LONGEST_MESSAGE + " characters");

    private final Mailbox mailbox;
    private final SubscriptionReader reader;
    private final MemoryAccount.Share memory;
    private StringBuilder text = new StringBuilder();

    /** @param memory of the client; it is closed by the client's thread */
    Inbox(Mailbox mailbox, SubscriptionReader reader, MemoryAccount.Share memory) {
        this.mailbox = mailbox;
        this.reader = reader;
        this.memory = memory;
    }

    Mailbox mailbox() {
        return mailbox;
    }

    /** @param last whether the message ends with this part */
    void receive(String part, boolean last) {
        if (mailbox.closing()) {
            return;
        }
        if (text.length() + part.length() > LONGEST_MESSAGE) {
            end(TOO_LONG);
        } else if (!memory.tryReserve(part.length() * ROOM)) {
            end(Client.NO_ROOM);
        } else {
            text.append(part);
            if (last) {
                read();
            }
        }
    }

    /** A message that is not text. */
    void receiveOther() {
        end(new CloseStatus(MALFORMED, "the message must be text, JSON"));
    }

    private void read() {
        try {
            mailbox.subscribe(reader.read(text.toString()));
            forget();
        } catch (MalformedMessageException e) {
            end(new CloseStatus(MALFORMED, e.getMessage()));
        }
    }

    private void end(CloseStatus reason) {
        mailbox.close(reason);
        forget();
    }

    private void forget() {
        memory.release(text.length() * ROOM);
        text = new StringBuilder();
    }
}
