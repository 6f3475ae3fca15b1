package dev.headgate.wire;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Where the wire port listens and how patient it is.
 *
 * @param address to listen on
 * @param port 0 for any that is free
 * @param tls engines for the clients that ask for TLS; empty to decline it
 * @param loginTimeout from the connect to the end of authentication
 * @param idleTimeout of a client outside of a transaction; zero for none
 * @param transactionTimeout how long a client that holds a connection may stay silent; zero for none
 * @param alwaysReset whether a session is reset after every lease, not only when something in it is known to have changed
 * @param showHolder whether the server knows each client's address as part of its application_name; a connection that
 *     changes hands costs a round trip then
 * @param loops threads that serve clients, at least 1
 */
public record WireSettings(
        InetAddress address,
        int port,
        Optional<TlsEngines> tls,
        Duration loginTimeout,
        Duration idleTimeout,
        Duration transactionTimeout,
        boolean alwaysReset,
        boolean showHolder,
        int loops) {

    public WireSettings {
        if (loops < 1) {
            throw new IllegalArgumentException("loops must be at least 1, was " + loops);
        }
    }

    /** Half of the processors, since the database beside has use for the others; one at least. */
    public static int defaultLoops() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /** The same on so many loops. */
    public WireSettings withLoops(int count) {
        return new WireSettings(
                address, port, tls, loginTimeout, idleTimeout, transactionTimeout, alwaysReset, showHolder, count);
    }

    public static WireSettings on(InetAddress address, int port) {
        return new WireSettings(
                address,
                port,
                Optional.empty(),
                Duration.ofSeconds(15),
                Duration.ZERO,
                Duration.ofMinutes(5),
                false,
                false,
                defaultLoops());
    }
}
