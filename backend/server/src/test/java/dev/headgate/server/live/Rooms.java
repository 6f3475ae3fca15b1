package dev.headgate.server.live;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.server.limits.Holders;
import java.util.List;

/** Accounts of the stream alone. */
final class Rooms {

    private Rooms() {}

    static MemoryAccount of(long bytes) {
        return of(bytes, Holders.STREAM);
    }

    static MemoryAccount of(long bytes, String holder) {
        return new MemoryAccount(bytes, List.of(new Portion(holder, 0, 1, 1, 1)));
    }

    static MemoryAccount.Share large() {
        return of(1 << 30).share(Holders.STREAM, "clients");
    }
}
