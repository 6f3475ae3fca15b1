package dev.headgate.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class InboxTest {

    private final MemoryAccount account = Rooms.of(100_000);
    private final ClientMemory memory = ClientMemory.of(account, "clients");
    private final Mailbox mailbox = new Mailbox(JsonMapper.shared(), new StreamCounts(), memory);
    private final Inbox inbox = new Inbox(mailbox, new SubscriptionReader(JsonMapper.shared()), memory.few());

    @Test
    void aMessageComesInPartsWhichAreHeldUntilItIsRead() {
        inbox.receive("{\"type\":\"subscribe\",", false);
        assertThat(account.reserved()).isPositive();
        assertThat(mailbox.subscription()).isNull();
        inbox.receive("\"domains\":[\"bank\"]}", true);
        assertThat(mailbox.subscription().domains()).isEqualTo(Set.of("bank"));
        assertThat(account.reserved()).isZero();
    }

    @Test
    void partsThatFindNoRoomEndTheSession() throws InterruptedException {
        inbox.receive(" ".repeat(4_000), false);
        inbox.receive(" ".repeat(4_000), false);
        assertThat(mailbox.take(0).close()).isEqualTo(Client.NO_ROOM);
        assertThat(account.reserved()).isZero();
        inbox.receive(" ", false);
        assertThat(account.reserved()).isZero();
    }

    @Test
    void aMessageWithoutAnEndIsTooLong() throws InterruptedException {
        ClientMemory large = Rooms.large();
        Inbox roomy = new Inbox(mailbox, new SubscriptionReader(JsonMapper.shared()), large.few());
        roomy.receive(" ".repeat(Inbox.LONGEST_MESSAGE), false);
        roomy.receive(" ", false);
        assertThat(mailbox.take(0).close().getCode()).isEqualTo(1009);
        assertThat(large.few().reserved()).isZero();
    }
}
