package dev.headgate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/** The ledgers of an engine's databases at the end of a test, whatever has happened to servers and connections. */
final class Ledgers {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Ledgers() {}

    /**
     * Waits until every entry is an open socket, and every open socket a connection of a pool. A wait alone proves nothing, because the
     * audit repairs a leak within seconds: no audit may have repaired anything.
     */
    static void assertExact(Engine engine) throws Exception {
        awaitEveryEntryIsASocket(engine);
        assertThat(engine.databases())
                .allSatisfy(database -> assertThat(database.status().audit().repaired())
                        .as("differences that the audit of %s has repaired", database.name())
                        .isZero());
    }

    /** The same where a test made the ledger wrong. Waits for what is being opened or closed just now, and for the probes to be gone. */
    static void awaitEveryEntryIsASocket(Engine engine) throws Exception {
        Collection<Database> databases = engine.databases();
        Set<Integer> ports =
                databases.stream().map(database -> database.target().port()).collect(Collectors.toSet());
        Await.until("as many entries as sockets and connections", PATIENCE, () -> {
            int entries = databases.stream()
                    .mapToInt(database -> database.status().open())
                    .sum();
            int sockets = 0;
            for (int port : ports) {
                sockets += OpenSockets.to(port);
            }
            return entries == sockets
                    && entries
                            == databases.stream()
                                    .flatMap(database -> database.pools().stream())
                                    .mapToInt(pool -> pool.connections().size())
                                    .sum();
        });
    }
}
