package dev.headgate.engine;

import dev.headgate.engine.connect.LedgerAudit;
import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.MeteredConnection;
import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.connect.Outage;
import dev.headgate.engine.connect.Reservoir;
import dev.headgate.engine.connect.SocketLedger;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.GovernedPool;
import dev.headgate.engine.governor.Governor;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.governor.Raised;
import dev.headgate.engine.governor.ShadowStatus;
import dev.headgate.engine.jdbc.LeasedConnection;
import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.recording.Recording;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.WhenExhausted;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Implements {@link Pool}: the gate before HikariCP, the meters behind it, the governor beside it. */
final class ManagedPool implements Pool, GovernedPool {

    /** The least time in which a request is served or refused, even if its own timeout is shorter: opening a connection takes time. */
    private static final long LEAST_OPENING_NANOS = 250_000_000L;

    /** How long to wait for HikariCP before checking the pool again: HikariCP does not tell waiters that it was closed. */
    private static final long LOOK_NANOS = 200_000_000L;

    /** What has not said goodbye to the server by then is cut. */
    private static final long CLOSING_PATIENCE_NANOS = 1_000_000_000L;

    private final String domain;
    private final ManagedDatabase database;
    private final Governor governor;
    private final Supervisor supervisor;
    /** A database that has answered so lately is there, whatever its prober says. */
    private static final long HEARD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Gate gate;
    private final PoolMeter meters = new PoolMeter();
    private final Refusals refusals;
    private final Occupancy occupancy;
    private final Time time;
    private final LeaseRecorder leases;
    private final Opener opener;
    private final Reservoir reservoir;
    private final Map<String, Raised> raised = new ConcurrentHashMap<>();
    /** Serializes the updates of the number of admitted requests, so that the last update is the newest. */
    private final Object bounding = new Object();

    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    ManagedPool(
            String domain,
            ManagedDatabase database,
            Target target,
            Time time,
            SocketLedger ledger,
            Outage outage,
            Governor governor,
            LeaseRecorder leases,
            Supervisor supervisor,
            ScheduledExecutorService housekeeping) {
        this.domain = domain;
        this.database = database;
        this.governor = governor;
        this.supervisor = supervisor;
        this.time = time;
        this.leases = leases;
        // there are no permits until the governor's first step; requests wait for it
        Rules opening = new Rules(Rules.Passage.OPEN, WhenExhausted.queue(30_000, Integer.MAX_VALUE), false);
        this.gate = new Gate(time, opening, governor::wake);
        this.refusals = new Refusals(time);
        this.occupancy = new Occupancy(gate, meters, refusals, time);
        this.opener = new Opener(domain, target, time, ledger, meters, outage, governor::wake);
        this.reservoir =
                new Reservoir("headgate-" + domain, opener, Math.max(100, target.budget()), supervisor, housekeeping);
    }

    // ---- for the application

    @Override
    public String domain() {
        return domain;
    }

    @Override
    public Database database() {
        return database;
    }

    @Override
    public Lease acquire(LeaseRequest request) throws LeaseException {
        return take(request, false, false);
    }

    @Override
    public RelayLease relay(LeaseRequest request) throws LeaseException {
        return take(request, true, false);
    }

    private PooledLease take(LeaseRequest request, boolean relayed, boolean inside) throws LeaseException {
        long waited;
        try {
            waited = inside
                    ? gate.acquireInside(request.timeoutNanos(), request)
                    : gate.acquire(request.timeoutNanos(), request);
        } catch (Refusal refusal) {
            throw refused(request, refusal);
        }
        return lease(request, waited, relayed);
    }

    @Override
    public CompletionStage<Lease> acquireAsync(LeaseRequest request) {
        CompletableFuture<Lease> future = new CompletableFuture<>();
        Runnable giveUp = gate.acquireAsync(request.timeoutNanos(), request, new Gate.Listener() {
            @Override
            public void admitted(long waitedNanos) {
                inBackground(() -> complete(future, request, waitedNanos));
            }

            @Override
            public void refused(Refusal refusal) {
                inBackground(() -> refuse(future, request, refusal));
            }
        });
        CompletableFuture<Lease> _ = future.whenComplete((lease, fault) -> {
            if (future.isCancelled()) {
                giveUp.run();
            }
        });
        return future;
    }

    /** Does what may block, for a caller that may not: on a supervised virtual thread. */
    void inBackground(Runnable work) {
        Thread _ = supervisor.start("headgate-acquire", Thread.ofVirtual().name(domain, 0), work::run);
    }

    private void complete(CompletableFuture<Lease> future, LeaseRequest request, long waitedNanos) {
        try {
            Lease lease = lease(request, waitedNanos, false);
            if (!future.complete(lease)) {
                lease.close();
            }
        } catch (LeaseException | RuntimeException | Error fault) {
            future.completeExceptionally(fault);
        }
    }

    private void refuse(CompletableFuture<Lease> future, LeaseRequest request, Refusal refusal) {
        try {
            future.completeExceptionally(refused(request, refusal));
        } catch (RuntimeException | Error fault) {
            future.completeExceptionally(fault); // else the caller would wait for ever
        }
    }

    @Override
    public Place admit(LeaseRequest request) throws LeaseException {
        try {
            gate.enter();
        } catch (Refusal refusal) {
            throw refused(request, refusal);
        }
        return new Inside(request);
    }

    private final class Inside implements Place {

        private final LeaseRequest request;
        private final AtomicBoolean isGivenUp = new AtomicBoolean();

        Inside(LeaseRequest request) {
            this.request = request;
        }

        @Override
        public Lease acquire() throws LeaseException {
            if (!isGivenUp.compareAndSet(false, true)) {
                throw new IllegalStateException("the place of " + request.holder() + " at " + domain + " was given up");
            }
            return take(request, false, true);
        }

        @Override
        public void close() {
            if (isGivenUp.compareAndSet(false, true)) {
                gate.leaveDoor();
            }
        }
    }

    @Override
    public Runnable relay(LeaseRequest request, Executor executor, RelayListener listener) {
        return RelayRequest.start(this, request, executor, listener);
    }

    /**
     * How long an admitted request waits for a connection: what is left of its timeout. A request with a shorter timeout than
     * opening a connection takes has {@value #LEAST_OPENING_NANOS} ns in all.
     */
    private static long openingNanos(long timeoutNanos, long waitedNanos) {
        return Math.max(0, Math.max(LEAST_OPENING_NANOS, timeoutNanos) - waitedNanos);
    }

    /** Turns a permit into a lease. Skips connections that are not fit, until the caller's deadline. */
    PooledLease lease(LeaseRequest request, long waitedNanos, boolean relayed) throws LeaseException {
        long timeout =
                Math.min(request.timeoutNanos(), gate.rules().whenExhausted().timeoutNanos());
        long patience = openingNanos(timeout, waitedNanos);
        long began = time.nanoTime();
        try {
            for (long now = began; ; now = time.nanoTime()) {
                long left = Math.max(0, began + patience - now);
                try {
                    Connection borrowed = reservoir.borrow(Math.min(left, LOOK_NANOS));
                    PooledLease lease = take(borrowed, now, request, waitedNanos, relayed);
                    if (lease != null) {
                        return lease;
                    }
                } catch (SQLTransientConnectionException noneYet) {
                    // asked again, because a test of a free connection may have taken longer
                    boolean over = began + patience - time.nanoTime() <= 0;
                    if (over || left <= LOOK_NANOS || reservoir.isClosed()) {
                        throw noneYet;
                    }
                }
            }
        } catch (SQLException e) {
            gate.release();
            // the wait at the gate and for a connection to be opened
            throw withoutConnection(request, waitedNanos + (time.nanoTime() - began), e);
        } catch (RuntimeException | Error e) {
            gate.release();
            throw e;
        }
    }

    /**
     * Turns a permit into a relay's lease if a connection is free now. Does not block on a {@link NonBlockingThread}.
     *
     * @return null if none is free; the caller keeps its permit
     */
    @Nullable
    PooledLease leaseNow(LeaseRequest request, long waitedNanos) throws LeaseException {
        try {
            for (Connection free = reservoir.borrowNow(); free != null; free = reservoir.borrowNow()) {
                PooledLease lease = take(free, time.nanoTime(), request, waitedNanos, true);
                if (lease != null) {
                    return lease;
                }
            }
            return null;
        } catch (SQLException e) {
            gate.release();
            throw withoutConnection(request, waitedNanos, e);
        } catch (RuntimeException | Error e) {
            gate.release();
            throw e;
        }
    }

    /**
     * Makes a lease of a borrowed connection; evicts it and answers null where the server has ended it, or where a relay's
     * leftovers cannot be removed.
     *
     * @param now when it was asked for: since then nobody else has had it, or it was given back since
     */
    private @Nullable PooledLease take(
            Connection borrowed, long now, LeaseRequest request, long waitedNanos, boolean relayed)
            throws SQLException {
        boolean isFit = false;
        try {
            MeteredConnection physical = borrowed.unwrap(MeteredConnection.class);
            if (reservoir.isClosed()) {
                return null;
            }
            if (physical.hasEnded(now)) {
                physical.meter().endsBy(Ending.DATABASE);
                return null;
            }
            Leftovers leftovers = physical.leftovers();
            if (leftovers != null && !relayed) {
                if (!isRemoved(leftovers, borrowed)) {
                    physical.meter().endsBy(physical.hasEnded() ? Ending.DATABASE : Ending.RESET_FAILED);
                    return null;
                }
                physical.leave(null);
            }
            PooledLease lease = new PooledLease(this, borrowed, physical, request, waitedNanos, relayed);
            physical.leasedTo(lease);
            isFit = true;
            return lease;
        } finally {
            if (!isFit) {
                reservoir.evict(borrowed);
            }
        }
    }

    /** The server may end the connection in the middle of it; the caller gets another connection then. */
    private static boolean isRemoved(Leftovers leftovers, Connection borrowed) {
        try {
            leftovers.remove(borrowed);
            return true;
        } catch (SQLException failed) {
            return false;
        }
    }

    /**
     * Ends a lease, unless it has ended. Pays a debt by closing the connection if there is one, else gives the connection back.
     *
     * @param dirty the connection as its JDBC holder left it, to be restored; null if there is nothing to restore
     * @param fit whether it may be given back
     */
    void giveBack(
            PooledLease lease,
            Connection connection,
            ConnectionMeter meter,
            @Nullable LeasedConnection dirty,
            boolean fit) {
        if (!meter.returned(lease, lease.waitedNanos(), leases)) {
            return;
        }
        if (gate.payDebt()) {
            meter.endsBy(reservoir.shrinking());
            bound(); // first, because HikariCP would else open another one in its place
            reservoir.evict(connection);
            return;
        }
        boolean isBack = false;
        try {
            if (fit && !lease.isCancelled() && !isMidRequest(lease, meter)) {
                if (dirty != null) {
                    dirty.restore(meter.isWithinTransaction());
                }
                connection.close();
                isBack = true;
            }
        } catch (SQLException e) {
            // evicted below
        } finally {
            if (!isBack) {
                if (meter.ending() == null) {
                    meter.endsBy(lease.isCancelled() ? Ending.OPERATOR : fit ? Ending.RESET_FAILED : lease.ending());
                }
                reservoir.evict(connection);
            }
            gate.release();
        }
    }

    /**
     * Whether a JDBC caller left a request in the middle, such as a COPY. The driver would wait for its end for ever: with the next
     * statement, and also with a ROLLBACK. A relay knows by itself what it is owed.
     */
    private static boolean isMidRequest(PooledLease lease, ConnectionMeter meter) {
        return !lease.isRelayed() && meter.isRequestUnderWay();
    }

    /** Requests that the gate may have admitted, including those whose permit was removed since. */
    private int admitted() {
        return gate.permits() + gate.debt();
    }

    private void bound() {
        synchronized (bounding) {
            reservoir.bound(admitted());
        }
    }

    LeaseException refused(LeaseRequest request, Refusal refusal) {
        LeaseException refused = exception(refusal);
        refusals.note(request, refused);
        return refused;
    }

    private LeaseException exception(Refusal refusal) {
        leases.refused(time.nanoTime() - refusal.waitedNanos(), refusal.waitedNanos());
        if (refusal.why() == Refusal.Why.TIMED_OUT) {
            return exception(refusal.waitedNanos(), null);
        }
        LeaseException.Cause why = switch (refusal.why()) {
            case TIMED_OUT -> LeaseException.Cause.TIMED_OUT;
            case FAILED -> LeaseException.Cause.FAILED;
            case REJECTED -> LeaseException.Cause.REJECTED;
            case QUEUE_FULL -> LeaseException.Cause.QUEUE_FULL;
            case CLOSED -> LeaseException.Cause.CLOSED;
            case ENDED -> LeaseException.Cause.ENDED;
            case INTERRUPTED -> LeaseException.Cause.INTERRUPTED;
        };
        Throwable cause = opener.failure().<Throwable>map(Opener.Failure::cause).orElse(null);
        return new LeaseException(why, situation(refusal.waitedNanos()), cause);
    }

    /** The exception for a request that got a permit but no connection. Its cause depends on what the request waited for. */
    LeaseException withoutConnection(LeaseRequest request, long waitedNanos, @Nullable Throwable otherwise) {
        LeaseException refused = exception(waitedNanos, otherwise);
        refusals.note(request, refused);
        return refused;
    }

    private LeaseException exception(long waitedNanos, @Nullable Throwable otherwise) {
        if (reservoir.isClosed()) {
            return new LeaseException(LeaseException.Cause.CLOSED, situation(waitedNanos), otherwise);
        }
        if (otherwise != null && otherwise.getCause() instanceof InterruptedException) {
            return new LeaseException(LeaseException.Cause.INTERRUPTED, situation(waitedNanos), otherwise);
        }
        Optional<IOException> overBudget = opener.overBudget();
        if (overBudget.isPresent()) {
            return new LeaseException(LeaseException.Cause.BUDGET_USED_UP, situation(waitedNanos), overBudget.get());
        }
        Optional<Opener.Failure> failure = opener.failure();
        return new LeaseException(
                failure.isPresent() ? LeaseException.Cause.UNREACHABLE : LeaseException.Cause.TIMED_OUT,
                situation(waitedNanos),
                failure.<Throwable>map(Opener.Failure::cause).orElse(otherwise));
    }

    private LeaseException.Situation situation(long waitedNanos) {
        Optional<PoolStatus> status = governor.status(domain);
        String shut = shut(status.map(PoolStatus::state).orElse(PoolStatus.State.OPEN));
        Optional<Answer> binding = shut.isEmpty() ? status.flatMap(PoolStatus::binding) : Optional.empty();
        return new LeaseException.Situation(
                domain,
                status.map(PoolStatus::revision).orElse(0L),
                gate.permits() + gate.debt(),
                gate.inUse(),
                gate.waiting(),
                waitedNanos,
                status.map(PoolStatus::ceiling).orElse(0),
                binding.map(Answer::plugin).orElse(""),
                shut.isEmpty() ? binding.map(answer -> answer.limits().reason()).orElse("") : shut);
    }

    /** Why no request may pass, whatever its policies say; empty while requests may. */
    private String shut(PoolStatus.State state) {
        if (closing.get()) {
            return domain + " is being removed";
        }
        return switch (gate.rules().passage()) {
            case OPEN -> "";
            case PAUSED -> domain + " is paused";
            case CLOSED -> state == PoolStatus.State.DRAINING ? domain + " is draining" : domain + " is being removed";
        };
    }

    @Override
    public CompletionStage<Void> swap(PolicySet set) {
        return governor.swap(domain, set);
    }

    @Override
    public CompletionStage<List<Answer>> ask(PolicySet candidate) {
        return governor.ask(domain, candidate);
    }

    @Override
    public PolicySet policies() {
        return governor.policies(domain);
    }

    @Override
    public CompletionStage<Void> shadow(PolicySet set) {
        return governor.shadow(domain, set);
    }

    @Override
    public CompletionStage<Void> unshadow() {
        return governor.unshadow(domain);
    }

    @Override
    public Optional<ShadowStatus> shadowStatus() {
        return governor.shadowStatus(domain);
    }

    @Override
    public CompletionStage<Void> pause() {
        return governor.pause(domain);
    }

    @Override
    public CompletionStage<Void> resume() {
        return governor.resume(domain);
    }

    @Override
    public CompletionStage<Void> tryOut(int size, Duration atMost) {
        if (size < 1) {
            throw new IllegalArgumentException("a size must be at least 1, was " + size);
        }
        return governor.tryOut(domain, size, atMost.toNanos());
    }

    @Override
    public CompletionStage<Void> endTrial() {
        return governor.endTrial(domain);
    }

    @Override
    public CompletionStage<Void> flush() {
        return governor.flush(domain);
    }

    @Override
    public CompletionStage<Void> drain() {
        return governor.drain(domain);
    }

    @Override
    public void raise(String code, PoolStatus.Severity severity, String message) {
        raised.put(code, new Raised(severity, message));
    }

    @Override
    public void clear(String code) {
        raised.remove(code);
    }

    @Override
    public PoolStatus status() {
        return governor.status(domain).orElseGet(() -> PoolStatus.closed(domain, database.name()));
    }

    @Override
    public List<ConnectionStatus> connections() {
        return meters.status();
    }

    @Override
    public Occupancy occupancy() {
        return occupancy;
    }

    @Override
    public Recording recording(Duration length) {
        return leases.last(domain, length);
    }

    @Override
    public int recorded(Duration length) {
        return leases.count(length);
    }

    @Override
    public DataSource dataSource(String holder, SessionReset reset) {
        return new PoolDataSource(this, holder, reset);
    }

    // ---- for the governor

    @Override
    public Gate gate() {
        return gate;
    }

    @Override
    public void shrinksBecause(Ending why) {
        reservoir.shrinksBecause(why);
    }

    @Override
    public void resize(int connections) {
        synchronized (bounding) {
            reservoir.resize(connections, admitted());
        }
    }

    @Override
    public void tidy() {
        bound();
        reservoir.tidy();
    }

    @Override
    public void replaceConnections() {
        opener.flushed();
        reservoir.flush();
    }

    @Override
    public int open() {
        return meters.ready();
    }

    @Override
    public int opening() {
        return meters.open() - meters.ready();
    }

    @Override
    public PoolMeter.Measured drain(long nowNanos) {
        leases.windowEnded(gate.permits() + gate.debt());
        return meters.drain(nowNanos);
    }

    @Override
    public long requestsTotal() {
        return meters.requestsTotal();
    }

    @Override
    public long errorsTotal() {
        return meters.errorsTotal();
    }

    @Override
    public Optional<Opener.Failure> failure() {
        Optional<Opener.Failure> own = opener.failure();
        return own.isPresent() ? own : database.failure().filter(_ -> !hasAnsweredWithin(HEARD_NANOS));
    }

    @Override
    public boolean isOverBudget() {
        return opener.overBudget().isPresent();
    }

    @Override
    public Map<String, Raised> raised() {
        return raised;
    }

    // ---- for the database

    /** Whether a connection got an answer recently, even if none was opened recently. */
    boolean hasAnsweredWithin(long nanos) {
        return meters.isAnyUsedWithin(nanos);
    }

    void retarget(Target next) {
        opener.retarget(next);
        opener.reached();
    }

    /** The server answers, as somebody else has seen. */
    void reached() {
        opener.reached();
    }

    void auditedBy(LedgerAudit audit) {
        audit.add(domain, opener, reservoir);
    }

    /** Returns true for the first caller, who must close the pool. */
    boolean beginsToClose() {
        return closing.compareAndSet(false, true);
    }

    /** Completes when the pool is closed and its last connection has ended. */
    CompletableFuture<Void> closed() {
        return closed;
    }

    /** Ends every lease and its connection, and fails requests that wait for a connection. Does not block. */
    void cut() {
        reservoir.close();
        opener.cut();
    }

    /** Closes every connection; blocks until they have ended, {@value #CLOSING_PATIENCE_NANOS} ns at most. */
    void close() {
        leases.close();
        reservoir.close();
        opener.close(CLOSING_PATIENCE_NANOS);
    }
}
