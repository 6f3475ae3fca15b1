package dev.headgate.engine;

import dev.headgate.engine.connect.Probe;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.SocketLedger;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.engine.time.Time;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** All databases and pools of this node. There is one per process. It is ready when constructed; {@link #close()} ends it. */
public final class Engine implements AutoCloseable {

    private final String node;
    private final Time time;
    private final EngineListener listener;
    private final MemoryAccount memory;
    private final Supervisor supervisor;
    private final Runnable onClose;

    /** Of all pools together, so that an idle one has no thread. */
    private final ScheduledExecutorService housekeeping;

    private final ConcurrentMap<String, ManagedDatabase> databases = new ConcurrentHashMap<>();
    /** The database of each domain. A name is taken before its pool is opened, so that names are unique. */
    private final ConcurrentMap<String, String> domains = new ConcurrentHashMap<>();

    /**
     * @param node this node's name, carried by every decision
     * @param listener is notified of windows and decisions, on the governors' threads
     */
    public Engine(String node, Time time, EngineListener listener) {
        this(node, time, listener, roomy(), Supervisor.silent(), () -> {});
    }

    private Engine(
            String node,
            Time time,
            EngineListener listener,
            MemoryAccount memory,
            Supervisor supervisor,
            Runnable onClose) {
        this.node = node;
        this.time = time;
        this.listener = listener;
        this.memory = memory;
        this.supervisor = supervisor;
        this.onClose = onClose;
        this.housekeeping = new Housekeeping(supervisor);
    }

    /** Makes an engine on the machine's clocks. */
    public static Engine start(String node, EngineListener listener) {
        return start(node, listener, Supervisor.silent());
    }

    /** The same, with a supervisor that reports failures of its threads and timers. */
    public static Engine start(String node, EngineListener listener, Supervisor supervisor) {
        return start(node, listener, roomy(), supervisor);
    }

    /**
     * The same, with a supervisor and an account of memory.
     *
     * @param memory the account for records of leases, with a {@link LeaseRecorder#HOLDER} whose parties are the domains
     */
    public static Engine start(String node, EngineListener listener, MemoryAccount memory, Supervisor supervisor) {
        SystemTime time = new SystemTime(supervisor);
        return new Engine(node, time, listener, memory, supervisor, time::close);
    }

    /** An account for records of leases alone. */
    private static MemoryAccount roomy() {
        return new MemoryAccount(
                MemoryAccount.quarterOfHeap(), List.of(new MemoryAccount.Portion(LeaseRecorder.HOLDER, 0, 1, 1, 1)));
    }

    /** @throws IllegalArgumentException if there is a database of that name already */
    public Database open(Target target) {
        ManagedDatabase database =
                new ManagedDatabase(target, node, time, listener, memory, supervisor, housekeeping, domains);
        if (databases.putIfAbsent(target.name(), database) != null) {
            database.close();
            throw new IllegalArgumentException("there is a database " + target.name() + " already");
        }
        return database;
    }

    /**
     * Closes every pool of a database and removes it. Holders have one second to release their leases. Then the leases are
     * ended and their connections cut: using one fails with a {@link java.sql.SQLException}, and closing it does nothing. An
     * interrupt ends the second early. Blocks until every connection has ended: not at all if none is leased and the server
     * answers, usually a little more than a second if a lease is not released, 5 s at most.
     */
    public void close(String database) {
        ManagedDatabase gone = databases.remove(database);
        if (gone != null) {
            gone.close();
        }
    }

    public Optional<Database> database(String name) {
        return Optional.ofNullable(databases.get(name));
    }

    public Collection<Database> databases() {
        return List.copyOf(databases.values());
    }

    public Optional<Pool> pool(String domain) {
        String name = domains.get(domain);
        return Optional.ofNullable(name == null ? null : databases.get(name))
                .flatMap(database -> database.pool(domain));
    }

    /** Connects once and asks the server for its facts. Blocks up to the target's timeouts. */
    public static ServerFacts probe(Target target) throws SQLException {
        try (SystemTime time = new SystemTime()) {
            return new Probe(new SocketLedger(1, 0), time).ask(target, List.of());
        }
    }

    /** Closes all databases at the same time, each as {@link #close(String)} does. */
    @Override
    public void close() {
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            databases
                    .keySet()
                    .forEach(database -> each.execute(() -> {
                        boolean _ = supervisor.run("headgate-close", () -> close(database));
                    }));
        }
        housekeeping.shutdownNow();
        onClose.run();
    }
}
