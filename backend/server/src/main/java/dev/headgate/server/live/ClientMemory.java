package dev.headgate.server.live;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.limits.Holders;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one client. That of a wide subscription is another holder's: a frame of hundreds of domains takes megabytes until it
 * is read, and a few clients that do not read would leave nothing for those who look at one domain.
 *
 * @param few for a subscription of a few domains, and before the first
 * @param many for a wide one
 */
record ClientMemory(MemoryAccount.Share few, MemoryAccount.Share many) implements AutoCloseable {

    static ClientMemory of(MemoryAccount account, String caller) {
        return new ClientMemory(account.share(Holders.STREAM, caller), account.share(Holders.WIDE_STREAM, caller));
    }

    MemoryAccount.Share of(@Nullable Subscription subscription) {
        return subscription != null && subscription.isWide() ? many : few;
    }

    @Override
    public void close() {
        few.close();
        many.close();
    }
}
