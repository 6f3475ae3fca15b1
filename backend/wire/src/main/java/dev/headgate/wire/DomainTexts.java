package dev.headgate.wire;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.wire.session.SharedTexts;
import java.util.HashMap;
import java.util.Map;

/** The statements that are shared on one loop, by domain, each while the domain has clients there. Belongs to the loop's thread. */
final class DomainTexts {

    private static final class Shared {
        private final MemoryAccount.Share share;
        private final SharedTexts texts;
        private int clients;

        Shared(MemoryAccount.Share share) {
            this.share = share;
            this.texts = new SharedTexts(share::tryReserve, share::reserve);
        }
    }

    private final MemoryAccount memory;
    private final Map<String, Shared> byDomain = new HashMap<>();

    DomainTexts(MemoryAccount memory) {
        this.memory = memory;
    }

    /** For one more client of a domain. */
    SharedTexts enter(String domain) {
        Shared shared = byDomain.computeIfAbsent(domain, name -> new Shared(memory.share(RelayLoops.HOLDER, name)));
        shared.clients++;
        return shared.texts;
    }

    /** A client of a domain has ended and holds nothing. */
    void leave(String domain) {
        Shared shared = byDomain.get(domain);
        if (shared != null && --shared.clients == 0) {
            byDomain.remove(domain);
            shared.share.close();
        }
    }
}
