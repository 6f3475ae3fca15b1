package dev.headgate.wire;

import dev.headgate.engine.Pool;
import dev.headgate.wire.auth.ScramVerifier;
import java.util.Optional;

/**
 * Where the wire port learns of domains and of those who may use them. Asked for each client that connects, on
 * the thread that serves many of them, and in {@link WirePort#endUnknown()}; must not block.
 */
public interface Directory {

    /** The domain of that name, if there is one. */
    Optional<Domain> domain(String name);

    /**
     * What is kept of a client's password, if that domain has such a client; for {@value WirePort#CONSOLE} of who may use
     * the console.
     */
    Optional<ScramVerifier> client(String domain, String user);

    /** What the console, the database {@value WirePort#CONSOLE}, shows and does. */
    Operations operations();

    /**
     * A domain as the wire port sees it.
     *
     * @param mostClients connected at once; more are refused with 53300
     * @param sessionState what becomes of statements whose effect belongs to a connection
     * @param unnamedStatements what becomes of statements without a name
     */
    record Domain(
            Pool pool,
            PoolMode mode,
            int mostClients,
            SessionState sessionState,
            UnnamedStatements unnamedStatements) {}
}
