package dev.headgate.engine;

import dev.headgate.engine.connect.Probe;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.SocketLedger;
import dev.headgate.engine.connect.Target;
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
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** All databases and pools of this node. One per process; ready when constructed, ended by {@link #close()}. */
public final class Engine implements AutoCloseable {

    private static final int HOUSEKEEPERS = 256;

    private final String node;
    private final Time time;
    private final EngineListener listener;
    private final Supervisor supervisor;
    private final Runnable onClose;

    /** Of all pools together, so that an idle one has no thread. */
    private final ScheduledExecutorService housekeeping = housekeeping();

    private final ConcurrentMap<String, ManagedDatabase> databases = new ConcurrentHashMap<>();
    /** Which database a domain is on; taken before the pool is opened, so that names are unique. */
    private final ConcurrentMap<String, String> domains = new ConcurrentHashMap<>();

    /**
     * @param node this node's name, carried by every decision
     * @param listener told of windows and decisions on the governors' threads
     */
    public Engine(String node, Time time, EngineListener listener) {
        this(node, time, listener, Supervisor.silent(), () -> {});
    }

    private Engine(String node, Time time, EngineListener listener, Supervisor supervisor, Runnable onClose) {
        this.node = node;
        this.time = time;
        this.listener = listener;
        this.supervisor = supervisor;
        this.onClose = onClose;
    }

    /** An engine on the machine's clocks. */
    public static Engine start(String node, EngineListener listener) {
        return start(node, listener, Supervisor.silent());
    }

    /** The same, with someone who is told when a thread or a timer of it fails. */
    public static Engine start(String node, EngineListener listener, Supervisor supervisor) {
        SystemTime time = new SystemTime(supervisor);
        return new Engine(node, time, listener, supervisor, time::close);
    }

    /** @throws IllegalArgumentException if there is a database of that name already */
    public Database open(Target target) {
        ManagedDatabase database = new ManagedDatabase(target, node, time, listener, supervisor, housekeeping, domains);
        if (databases.putIfAbsent(target.name(), database) != null) {
            database.close();
            throw new IllegalArgumentException("there is a database " + target.name() + " already");
        }
        return database;
    }

    /**
     * Closes every pool of a database and forgets it. Leases that are out have one second to come back. Then they are
     * ended: their connections are cut, whoever uses one fails with a {@link java.sql.SQLException}, and closing them later
     * does nothing. An interrupt ends the second early. Blocks until every connection has ended: not at all where none is
     * leased and the server answers, a little more than a second as a rule where one stays out, 5 s at most.
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

    /** Connects once and asks the server about itself; blocks up to the target's timeouts. */
    public static ServerFacts probe(Target target) throws SQLException {
        try (SystemTime time = new SystemTime()) {
            return Probe.ask(target, new SocketLedger(1, 0), time);
        }
    }

    /** Closes every database, all at a time, each as {@link #close(String)} does. */
    @Override
    public void close() {
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            databases.keySet().forEach(database -> each.execute(() -> close(database)));
        }
        housekeeping.shutdownNow();
        onClose.run();
    }

    /** As many virtual threads as connections may be looked after at once; each blocks while a server does not answer. */
    private static ScheduledExecutorService housekeeping() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                HOUSEKEEPERS,
                Thread.ofVirtual().name("headgate-housekeeping-", 1).factory());
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }
}
