package dev.headgate.engine;

import dev.headgate.engine.connect.LedgerAudit;
import dev.headgate.engine.connect.ServerFacts;
import java.time.Instant;
import java.util.Optional;

/**
 * One database at one instant.
 *
 * @param open places of the budget that are taken, each by one socket
 * @param audit the ledger of sockets compared with what is there, about a second ago
 * @param unreachable why it cannot be reached and since when, if so
 * @param facts what the server last said of itself
 */
public record DatabaseStatus(
        String name,
        int budget,
        int open,
        LedgerAudit.Figures audit,
        Optional<Unreachable> unreachable,
        Optional<ServerFacts> facts) {

    /** A failure to connect. */
    public record Unreachable(String reason, Instant since) {}
}
