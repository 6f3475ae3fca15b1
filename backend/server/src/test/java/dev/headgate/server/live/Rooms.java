package dev.headgate.server.live;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.server.limits.Holders;
import java.util.List;

/** Accounts of the stream alone. */
final class Rooms {

    private Rooms() {}

    /** One client may have all of it. */
    static MemoryAccount of(long bytes) {
        return new MemoryAccount(
                bytes, List.of(new Portion(Holders.STREAM, 0, 1, 1, 1), new Portion(Holders.WIDE_STREAM, 0, 1, 1, 1)));
    }

    static MemoryAccount of(long bytes, String holder) {
        return new MemoryAccount(bytes, List.of(new Portion(holder, 0, 1, 1, 1)));
    }

    static ClientMemory large() {
        return ClientMemory.of(of(1 << 30), "clients");
    }
}
