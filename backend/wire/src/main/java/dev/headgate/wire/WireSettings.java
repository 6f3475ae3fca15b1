package dev.headgate.wire;

import dev.headgate.wire.session.Rules;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Where the wire port listens, and its timeouts.
 *
 * @param address the address to listen on
 * @param port 0 for any free port
 * @param tls engines for clients that use TLS; empty to decline it
 * @param loginTimeout the most time from the connect to the end of authentication
 * @param idleTimeout how long a client may stay idle outside a transaction; zero disables it
 * @param transactionTimeout how long a client that holds a connection may stay silent; zero disables it
 * @param alwaysReset whether to reset a session after every lease, not only after a known change
 * @param showHolder whether to append each client's address to its application_name on the server; costs a round trip
 *     whenever a connection changes hands
 * @param loops threads that serve clients, at least 1
 * @param mostArriving clients that have connected and not logged in, at least 1; one more takes the place of the one that has waited
 *     longest, if that has waited for a second
 * @param connectionsPerAddress such clients of one address, at least 1; one more takes the place of the oldest of its address, if that
 *     has waited for a second, and is closed otherwise
 * @param mostClients clients that have logged in to a domain, at least 1, of all domains together; one more is refused
 * @param mostStatements prepared statements that a client may keep under names of its own, at least 1; one more ends its session
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
        int loops,
        int mostArriving,
        int connectionsPerAddress,
        int mostClients,
        int mostStatements) {

    /** The default: a login takes milliseconds, so a thousand places are many logins a second. */
    public static final int DEFAULT_ARRIVING = 1_000;

    /** The default: a tenth of them is left to other addresses. */
    public static final int DEFAULT_PER_ADDRESS = 900;

    /** The default: idle ones take 2 kB each, which is little of a heap of 512 MB. */
    public static final int DEFAULT_CLIENTS = 20_000;

    public WireSettings {
        if (mostArriving < 1) {
            throw new IllegalArgumentException("mostArriving must be at least 1, was " + mostArriving);
        }
        if (connectionsPerAddress < 1) {
            throw new IllegalArgumentException(
                    "connectionsPerAddress must be at least 1, was " + connectionsPerAddress);
        }
        if (mostClients < 1) {
            throw new IllegalArgumentException("mostClients must be at least 1, was " + mostClients);
        }
        if (mostStatements < 1) {
            throw new IllegalArgumentException("mostStatements must be at least 1, was " + mostStatements);
        }
        if (loops < 1) {
            throw new IllegalArgumentException("loops must be at least 1, was " + loops);
        }
    }

    /** The default: half of the processors, because a database on the same machine needs the others; at least one. */
    public static int defaultLoops() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /** The same settings with another number of loops. */
    public WireSettings withLoops(int count) {
        return new WireSettings(
                address,
                port,
                tls,
                loginTimeout,
                idleTimeout,
                transactionTimeout,
                alwaysReset,
                showHolder,
                count,
                mostArriving,
                connectionsPerAddress,
                mostClients,
                mostStatements);
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
                defaultLoops(),
                DEFAULT_ARRIVING,
                DEFAULT_PER_ADDRESS,
                DEFAULT_CLIENTS,
                Rules.STATEMENTS);
    }
}
