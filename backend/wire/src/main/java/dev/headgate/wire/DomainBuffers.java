package dev.headgate.wire;

import dev.headgate.engine.memory.MemoryAccount;

/**
 * Counts what the buffers of a domain's clients hold on one loop between two events: input that waits for a connection or for the
 * rest of its message, answers that are owed, and answers that are not read. Belongs to the loop's thread.
 *
 * <p>The bytes are held already, so the account cannot refuse them. Where it would, the buffers are {@linkplain #isFull full}, and what
 * fills them further stops. A client that sends whole messages and reads its answers leaves nothing, and costs nothing here.
 */
final class DomainBuffers {

    private final MemoryAccount.Share share;
    private boolean full;

    DomainBuffers(MemoryAccount.Share share) {
        this.share = share;
    }

    /** A client holds so many bytes more, or fewer. */
    void change(long bytes) {
        if (bytes > 0) {
            full = !share.tryReserve(bytes);
            if (full) {
                share.reserve(bytes);
            }
        } else {
            share.release(-bytes);
            full = share.isExceeded();
        }
    }

    /**
     * Whether the domain, or all of them, hold as much as they may, as of the last {@link #change} here. Nothing grows without one.
     */
    boolean isFull() {
        return full;
    }

    void close() {
        share.close();
    }
}
