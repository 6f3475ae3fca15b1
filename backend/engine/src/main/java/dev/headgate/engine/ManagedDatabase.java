package dev.headgate.engine;

import dev.headgate.engine.connect.LedgerAudit;
import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.connect.Orphans;
import dev.headgate.engine.connect.Outage;
import dev.headgate.engine.connect.Probe;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.ServerWait;
import dev.headgate.engine.connect.SocketLedger;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.BudgetSource;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.GovernedPool;
import dev.headgate.engine.governor.Governor;
import dev.headgate.engine.governor.GovernorListener;
import dev.headgate.engine.governor.GovernorThread;
import dev.headgate.engine.governor.GuardedRunner;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Window;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements {@link Database} with one ledger, one governor on one thread, and one pool per domain. */
final class ManagedDatabase implements Database {

    private static final long LEDGER_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How long the governor has to take a pool in. */
    private static final long OPENING_SECONDS = 10;

    private static final String GOVERNING = "-governor";
    private static final String WATCHING = "-watch";
    private static final String ENDING_ORPHANS = "-orphans";

    /** How long holders have to release their leases when the database is closed. */
    private static final long CLOSING_GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long the governor has to process cut leases. */
    private static final long CUTTING_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long CUT_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long FACTS_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Time time;
    private final MemoryAccount memory;
    private final Supervisor supervisor;
    private final ScheduledExecutorService housekeeping;
    private final SocketLedger ledger;
    private final Probe prober;
    private final LedgerAudit audit;
    private final Outage outage;
    private final Orphans orphans;
    private final GuardedRunner runner;
    private final GovernorThread thread;
    private final Governor governor;
    private final ConcurrentMap<String, String> names;
    private final ConcurrentMap<String, ManagedPool> pools = new ConcurrentHashMap<>();
    private volatile Target target;
    private volatile boolean closed;
    private volatile @Nullable ServerFacts facts;
    private volatile long askedNanos;

    /** Why the last probe of the server failed; null if it succeeded. */
    private volatile Opener.@Nullable Failure unasked;

    /** When it failed. */
    private volatile long unaskedNanos;

    /** @param names the database of each of the engine's domains; keeps names unique over all databases */
    ManagedDatabase(
            Target target,
            String node,
            Time time,
            EngineListener listener,
            MemoryAccount memory,
            Supervisor supervisor,
            ScheduledExecutorService housekeeping,
            ConcurrentMap<String, String> names) {
        this.housekeeping = housekeeping;
        this.memory = memory;
        this.target = target;
        this.time = time;
        this.supervisor = supervisor;
        this.names = names;
        this.ledger = new SocketLedger(target.budget(), LEDGER_PATIENCE_NANOS);
        this.prober = new Probe(ledger, time);
        this.audit = new LedgerAudit(target.name(), ledger, prober, time);
        this.outage = new Outage(time);
        this.orphans = new Orphans(
                gone -> prober.end(this.target, gone), time, work -> inBackground(ENDING_ORPHANS, work::run));
        this.runner = new GuardedRunner("headgate-" + target.name());
        String name = target.name(); // the thread must not keep the target, which has a password that may be replaced
        this.thread = new GovernorThread(task(name, GOVERNING), supervisor, fault -> listener.fault(name, fault));
        this.governor = new Governor(target.name(), node, time, budget(), runner, tellingPools(listener), thread::wake);
        thread.start(governor);
        audit.start();
        watch();
    }

    private BudgetSource budget() {
        return new BudgetSource() {
            @Override
            public int connections() {
                return target.budget();
            }

            @Override
            public Optional<String> discrepancy() {
                return audit.discrepancy();
            }

            @Override
            public Optional<String> unreachable() {
                return failure().map(Opener.Failure::why);
            }
        };
    }

    private static GovernorListener tellingPools(EngineListener listener) {
        return new GovernorListener() {
            @Override
            public void window(GovernedPool pool, Instant end, Window window) {
                listener.window((ManagedPool) pool, end, window);
            }

            @Override
            public void decided(Decision decision) {
                listener.decided(decision);
            }
        };
    }

    /** For tests that inject faults. */
    SocketLedger ledger() {
        return ledger;
    }

    @Override
    public String name() {
        return target.name();
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public DatabaseStatus status() {
        Optional<DatabaseStatus.Unreachable> unreachable = Stream.concat(
                        pools.values().stream().flatMap(pool -> pool.failure().stream()), failure().stream())
                .min(Comparator.comparing(failure -> failure.since()))
                .map(failure -> new DatabaseStatus.Unreachable(failure.why(), failure.since()));
        return new DatabaseStatus(
                name(),
                target.budget(),
                ledger.openNow(),
                audit.figures(),
                thread.times(),
                unreachable,
                governor.answers(),
                governor.alarms(),
                facts());
    }

    @Override
    public Optional<ServerFacts> facts() {
        return Optional.ofNullable(facts);
    }

    /** Asks the server for its facts again. Blocks for a place in the budget, then up to the target's timeouts. */
    @Override
    public ServerFacts probe() throws SQLException {
        ServerFacts asked = prober.ask(target, ownProcesses());
        facts = asked;
        askedNanos = time.nanoTime();
        unasked = null;
        outage.end();
        pools.values().forEach(ManagedPool::reached);
        return asked;
    }

    @Override
    public List<ServerWait> waits() throws SQLException {
        return prober.waits(target, ownProcesses());
    }

    /** The name under which the supervisor knows one of a database's threads. */
    private static String task(String database, String what) {
        return "headgate-" + database + what;
    }

    /** The server's processes behind its connections. */
    private List<Integer> ownProcesses() {
        return pools.values().stream()
                .flatMap(pool -> pool.connections().stream())
                .map(ConnectionStatus::backendPid)
                .toList();
    }

    /**
     * Keeps {@link DatabaseStatus#facts} current, and notices an unreachable server before anybody asks for a connection. Its
     * own connection takes a place in the budget like any other.
     */
    private void watch() {
        inBackground(WATCHING, () -> {
            try {
                look();
            } finally {
                if (!closed) {
                    time.after(WATCH_NANOS, this::watch);
                }
            }
        });
    }

    /** Does what may block on a supervised virtual thread, which the supervisor forgets once the database is closed. */
    private void inBackground(String what, Supervisor.Turn turn) {
        String task = task(name(), what);
        Thread _ = supervisor.start(task, Thread.ofVirtual().name(task), () -> {
            boolean _ = supervisor.run(task, turn);
            if (closed) {
                supervisor.forget(task);
            }
        });
    }

    private void look() {
        boolean quiet = pools.values().stream().noneMatch(pool -> pool.hasAnsweredWithin(WATCH_NANOS));
        boolean old = facts == null || time.nanoTime() - askedNanos >= FACTS_NANOS;
        if (quiet) { // free connections may fill the budget, so that no probe is possible
            pools.values().forEach(ManagedPool::closeLost);
        }
        if ((!quiet && !old) || ledger.openNow() >= target.budget()) {
            unasked = quiet ? unasked : null;
            return;
        }
        try {
            probe();
        } catch (SQLException e) {
            unaskedNanos = time.nanoTime();
            unasked = Opener.Failure.after(unasked, e, time.now());
        }
    }

    /** Why the last background probe could not reach the server; empty if it could, or a pool has heard from the server since. */
    Optional<Opener.Failure> failure() {
        return Optional.ofNullable(unasked)
                .filter(_ -> pools.values().stream()
                        .noneMatch(pool -> pool.hasAnsweredWithin(time.nanoTime() - unaskedNanos)));
    }

    @Override
    public Collection<Pool> pools() {
        return List.copyOf(pools.values());
    }

    @Override
    public Pool open(String domain, PolicySet policies) {
        if (closed) {
            throw new IllegalStateException("the database " + name() + " is closed");
        }
        String other = names.putIfAbsent(domain, name());
        if (other != null) {
            throw new IllegalArgumentException("there is a domain " + domain + " already, on database " + other);
        }
        LeaseRecorder leases = new LeaseRecorder(time, memory.share(LeaseRecorder.HOLDER, domain));
        ManagedPool pool = new ManagedPool(
                domain, this, target, time, ledger, outage, orphans, governor, leases, supervisor, housekeeping);
        pools.put(domain, pool);
        pool.auditedBy(audit);
        try {
            governor.add(pool, policies)
                    .toCompletableFuture()
                    .orTimeout(OPENING_SECONDS, TimeUnit.SECONDS)
                    .join();
            return pool;
        } catch (CompletionException failed) {
            boolean _ = ends(close(pool), CLOSING_GRACE_NANOS); // its name is free again then
            throw failed;
        }
    }

    Optional<Pool> pool(String domain) {
        return Optional.ofNullable(pools.get(domain));
    }

    @Override
    public CompletionStage<Void> close(String domain) {
        ManagedPool pool = pools.get(domain);
        return pool == null
                ? CompletableFuture.completedFuture(null)
                : close(pool).minimalCompletionStage();
    }

    /** Closes a pool once. Later calls return the same completion. */
    private CompletableFuture<Void> close(ManagedPool pool) {
        if (pool.beginsToClose()) {
            governor.remove(pool.domain()).whenComplete((gone, stopped) -> {
                Thread _ = supervisor.start("headgate-close", Thread.ofVirtual(), () -> forget(pool));
            });
        }
        return pool.closed();
    }

    private void forget(ManagedPool pool) {
        try {
            pool.close();
        } finally {
            audit.remove(pool.domain());
            pools.remove(pool.domain(), pool);
            names.remove(pool.domain(), name());
            pool.closed().complete(null);
        }
    }

    @Override
    public CompletionStage<Void> swap(PolicySet set) {
        return governor.swap(set);
    }

    @Override
    public CompletionStage<Void> unjudged(String message) {
        return governor.unjudged(message);
    }

    @Override
    public CompletionStage<List<Answer>> ask(PolicySet candidate) {
        return governor.ask(candidate);
    }

    @Override
    public PolicySet policies() {
        return governor.policies();
    }

    @Override
    public void retarget(Target next) {
        if (!next.name().equals(target.name())) {
            throw new IllegalArgumentException("the name stays: " + target.name());
        }
        Target former = target;
        target = next;
        ledger.setBudget(next.budget());
        governor.wake();
        if (!former.equals(next.withBudget(former.budget()))) {
            unasked = null; // it was of the former one
            pools.values().forEach(pool -> {
                pool.retarget(next);
                pool.flush();
            });
            outage.end();
        }
    }

    /**
     * Closes every pool. Holders have {@value #CLOSING_GRACE_NANOS} ns to release their leases, or until the thread is
     * interrupted. Then the leases are ended and their connections cut. Blocks until every connection has ended.
     */
    void close() {
        closed = true;
        audit.close();
        CompletableFuture<Void> all =
                CompletableFuture.allOf(pools.values().stream().map(this::close).toArray(CompletableFuture[]::new));
        boolean interrupted = !ends(all, CLOSING_GRACE_NANOS) && Thread.interrupted();
        long began = time.nanoTime();
        while (!all.isDone() && time.nanoTime() - began < CUTTING_NANOS) {
            pools.values().forEach(ManagedPool::cut);
            interrupted |= !ends(all, CUT_AGAIN_NANOS) && Thread.interrupted();
        }
        pools.values().forEach(this::forget);
        orphans.close();
        ledger.close();
        thread.close();
        supervisor.forget(task(name(), GOVERNING));
        supervisor.forget(task(name(), WATCHING));
        supervisor.forget(task(name(), ENDING_ORPHANS));
        runner.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it ends in time. Keeps the thread's interrupt flag. */
    private static boolean ends(CompletableFuture<Void> future, long nanos) {
        try {
            future.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return future.isDone();
        }
    }
}
