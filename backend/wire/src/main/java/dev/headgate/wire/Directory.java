package dev.headgate.wire;

import dev.headgate.engine.Pool;
import dev.headgate.wire.auth.ScramVerifier;
import java.util.Optional;

/**
 * The domains and clients that the wire port knows. Asked for each client that connects, on a thread that serves many
 * clients, and in {@link WirePort#endUnknown()}. Must not block.
 */
public interface Directory {

    /** The domain of that name, if there is one. */
    Optional<Domain> domain(String name);

    /**
     * The verifier of a client's password, if the domain has such a client. For {@value WirePort#CONSOLE}: of a user of the
     * console.
     */
    Optional<ScramVerifier> client(String domain, String user);

    /** The operations of the console, the database {@value WirePort#CONSOLE}. */
    Operations operations();

    /**
     * A domain as the wire port sees it.
     *
     * @param mostClients the most clients connected at once; more are refused with 53300
     * @param sessionState what happens to statements whose effect belongs to a connection
     * @param unnamedStatements what happens to statements without a name
     */
    record Domain(
            Pool pool,
            PoolMode mode,
            int mostClients,
            SessionState sessionState,
            UnnamedStatements unnamedStatements) {}
}
