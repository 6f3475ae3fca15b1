package dev.headgate.wire;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.wire.session.SharedTexts;
import java.util.HashMap;
import java.util.Map;

/**
 * What the clients of a domain share on one loop, while it has any there: their statements, and the count of their buffers. Belongs
 * to the loop's thread.
 */
final class DomainClients {

    /** Of one domain. */
    static final class Shared {
        private final MemoryAccount.Share statements;
        private final SharedTexts texts;
        private final DomainBuffers buffers;
        private int clients;

        Shared(MemoryAccount.Share statements, MemoryAccount.Share buffers) {
            this.statements = statements;
            this.texts = new SharedTexts(statements::tryReserve, statements::reserve);
            this.buffers = new DomainBuffers(buffers);
        }

        SharedTexts texts() {
            return texts;
        }

        DomainBuffers buffers() {
            return buffers;
        }
    }

    private final MemoryAccount memory;
    private final Map<String, Shared> byDomain = new HashMap<>();

    DomainClients(MemoryAccount memory) {
        this.memory = memory;
    }

    /** For one more client of a domain. */
    Shared enter(String domain) {
        Shared shared = byDomain.computeIfAbsent(
                domain,
                name -> new Shared(
                        memory.share(RelayLoops.HOLDER, name), memory.share(RelayLoops.BUFFERS_HOLDER, name)));
        shared.clients++;
        return shared;
    }

    /** A client of a domain has ended and holds nothing. */
    void leave(String domain) {
        Shared shared = byDomain.get(domain);
        if (shared != null && --shared.clients == 0) {
            byDomain.remove(domain);
            shared.statements.close();
            shared.buffers.close();
        }
    }
}
