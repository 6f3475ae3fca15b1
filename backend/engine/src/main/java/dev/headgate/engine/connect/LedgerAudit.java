package dev.headgate.engine.connect;

import dev.headgate.engine.time.Time;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Compares once per second the ledger's entries, the open sockets, the connections of pools and probes, and the number that
 * HikariCP holds: every entry has an open socket, every socket belongs to a connection, HikariCP knows every connection of a pool. A
 * difference in one audit may be a connection that is just opening or closing. If the same entry or connection still differs
 * in the next audit, it is a defect: it is reported ({@link #discrepancy}) and repaired.
 *
 * <table>
 * <caption>Differences and their repair</caption>
 * <tr><td>an entry without an open socket</td><td>the entry is removed</td></tr>
 * <tr><td>an open socket that belongs to no connection</td><td>the socket is closed</td></tr>
 * <tr><td>a free connection in the pool whose socket is closed</td><td>the pool replaces its connections</td></tr>
 * <tr><td>more connections than the pool holds</td><td>closing ones are cut. If there are none, the pool replaces its
 *     connections; a connection that is neither closed nor leased after that has no owner and is cut</td></tr>
 * </table>
 *
 * <p>Audits run on the timer's thread, one at a time. They take no lock for long and never wait for a server.
 */
public final class LedgerAudit {

    static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A pool's connections, as HikariCP and as the opener count them. */
    interface Pooled {
        String domain();

        /** Connections that HikariCP holds. */
        int held();

        /** Connections that are being opened. */
        Set<ConnectionSockets> connecting();

        /** Connections that were given to HikariCP and have not ended. */
        Set<ConnectionSockets> established();

        /** Replaces every connection: free ones now, leased ones when they are released. */
        void flush();
    }

    /**
     * The figures of the last audit.
     *
     * @param entries places of the budget in use
     * @param sockets how many of these have an open socket
     * @param pooled connections that the pools hold
     * @param repaired differences repaired since the start
     */
    public record Figures(int entries, int sockets, int pooled, long repaired) {
        public static final Figures NONE = new Figures(0, 0, 0, 0);
    }

    private final String database;
    private final SocketLedger ledger;
    private final Probe prober;
    private final Time time;
    private final Map<String, Pooled> pools = new ConcurrentHashMap<>();

    /** Differences of the last audit that are not repaired yet. */
    private Set<Object> suspects = Set.of();

    /** Connections that a pool did not know when it was told to replace all its connections. */
    private final Map<String, Set<ConnectionSockets>> unaccounted = new ConcurrentHashMap<>();

    /** Connections that were established at the last audit. */
    private Map<String, Set<ConnectionSockets>> before = Map.of();

    private volatile Figures figures = Figures.NONE;
    private volatile @Nullable String discrepancy;
    private volatile boolean closed;

    public LedgerAudit(String database, SocketLedger ledger, Probe prober, Time time) {
        this.database = database;
        this.ledger = ledger;
        this.prober = prober;
        this.time = time;
    }

    /** Starts the audits: one per second until {@link #close}. */
    public void start() {
        time.after(PERIOD_NANOS, () -> {
            if (!closed) {
                try {
                    audit();
                } finally {
                    start(); // also after a failed audit
                }
            }
        });
    }

    public void close() {
        closed = true;
    }

    /** Adds a pool. From any thread. */
    public void add(String domain, Opener opener, Reservoir reservoir) {
        add(new Pooled() {
            @Override
            public String domain() {
                return domain;
            }

            @Override
            public int held() {
                return reservoir.held();
            }

            @Override
            public Set<ConnectionSockets> connecting() {
                return opener.connecting();
            }

            @Override
            public Set<ConnectionSockets> established() {
                return opener.established();
            }

            @Override
            public void flush() {
                reservoir.flush();
            }
        });
    }

    void add(Pooled pool) {
        pools.put(pool.domain(), pool);
    }

    /** Removes a pool. From any thread. */
    public void remove(String domain) {
        pools.remove(domain);
    }

    /** The figures of the last audit. */
    public Figures figures() {
        return figures;
    }

    /** What the last audit found wrong and repaired, as a sentence; empty if the counts agreed. */
    public Optional<String> discrepancy() {
        return Optional.ofNullable(discrepancy);
    }

    private void audit() {
        Set<Object> differing = new HashSet<>();
        List<String> faults = new ArrayList<>();
        int repaired = removeEmptyEntries(differing, faults) + closeOwnerless(differing, faults);
        Map<String, Set<ConnectionSockets>> now = new ConcurrentHashMap<>();
        int held = 0;
        for (Pooled pool : pools.values()) {
            Set<ConnectionSockets> established = pool.established();
            now.put(pool.domain(), established);
            held += pool.held();
            repaired += replaceDead(pool, established, differing, faults);
            repaired += cutUnknown(pool, established, differing, faults);
        }
        unaccounted.keySet().retainAll(pools.keySet());
        before = now;
        suspects = differing;
        List<SocketLedger.Entry> entries = ledger.entries();
        int open = (int) entries.stream().filter(SocketLedger.Entry::isOpen).count();
        figures = new Figures(entries.size(), open, held, figures.repaired() + repaired);
        discrepancy = faults.isEmpty() ? null : database + ": " + String.join("; ", faults);
    }

    private int removeEmptyEntries(Set<Object> differing, List<String> faults) {
        int removed = 0;
        for (SocketLedger.Entry entry : ledger.entries()) {
            if (!entry.isOpen()) {
                if (suspects.contains(entry)) {
                    entry.closeSocket();
                    removed++;
                } else {
                    differing.add(entry);
                }
            }
        }
        if (removed > 0) {
            faults.add(
                    removed == 1
                            ? "1 place of the budget was taken by no open socket, and has been freed"
                            : "%d places of the budget were taken by no open socket, and have been freed"
                                    .formatted(removed));
        }
        return removed;
    }

    private int closeOwnerless(Set<Object> differing, List<String> faults) {
        Set<SocketLedger.Entry> ownerless =
                new HashSet<>(ledger.entries()); // first, since owners come and go meanwhile
        removeOwned(ownerless, prober.connections());
        for (Pooled pool : pools.values()) {
            removeOwned(ownerless, pool.connecting());
            removeOwned(ownerless, pool.established());
        }
        int closed = 0;
        for (SocketLedger.Entry entry : ownerless) {
            if (entry.isOpen()) {
                if (suspects.contains(entry)) {
                    entry.closeSocket();
                    closed++;
                } else {
                    differing.add(entry);
                }
            }
        }
        if (closed > 0) {
            faults.add(
                    closed == 1
                            ? "1 open socket belonged to no connection, and has been closed"
                            : "%d open sockets belonged to no connection, and have been closed".formatted(closed));
        }
        return closed;
    }

    private static void removeOwned(Set<SocketLedger.Entry> from, Set<ConnectionSockets> owners) {
        owners.forEach(owner -> owner.entries().forEach(from::remove));
    }

    private int replaceDead(
            Pooled pool, Set<ConnectionSockets> established, Set<Object> differing, List<String> faults) {
        int dead = 0;
        for (ConnectionSockets connection : established) {
            if (!connection.isOpen() && isUnused(connection)) {
                dead += suspects.contains(connection) ? 1 : 0;
                differing.add(connection);
            }
        }
        if (dead > 0) {
            pool.flush();
            faults.add("%s held %s whose sockets are closed, and replaces its connections"
                    .formatted(pool.domain(), connections(dead)));
        }
        return dead;
    }

    /** Connections that existed at the last audit and now exceed the pool's own count: the pool does not know them. */
    private int cutUnknown(
            Pooled pool, Set<ConnectionSockets> established, Set<Object> differing, List<String> faults) {
        Set<ConnectionSockets> old = new HashSet<>(before.getOrDefault(pool.domain(), Set.of()));
        old.retainAll(established);
        old.removeIf(ConnectionSockets::hasEnded);
        int surplus = old.size() - pool.held();
        if (surplus <= 0) {
            unaccounted.remove(pool.domain());
            return 0;
        }
        if (!suspects.contains(pool.domain())) {
            differing.add(pool.domain());
            return 0;
        }
        differing.add(pool.domain());
        List<ConnectionSockets> unknown = old.stream()
                .filter(connection -> connection.meter().isClosing())
                .toList();
        if (unknown.isEmpty()) {
            Set<ConnectionSockets> replaced = unaccounted.get(pool.domain());
            if (replaced == null) {
                unaccounted.put(pool.domain(), old);
                pool.flush();
            } else {
                unknown = old.stream()
                        .filter(connection -> replaced.contains(connection) && isUnused(connection))
                        .limit(surplus)
                        .toList();
            }
        }
        unknown.forEach(ConnectionSockets::end);
        int closed = unknown.size();
        faults.add("%s holds %s, but %d %s open; %s"
                .formatted(
                        pool.domain(),
                        connections(pool.held()),
                        old.size(),
                        old.size() == 1 ? "is" : "are",
                        closed == 0
                                ? "it replaces its connections"
                                : closed + (closed == 1 ? " has been closed" : " have been closed")));
        return closed;
    }

    private static String connections(int count) {
        return count == 1 ? "1 connection" : count + " connections";
    }

    private static boolean isUnused(ConnectionSockets connection) {
        return !connection.meter().isLeased() && !connection.meter().isClosing();
    }
}
