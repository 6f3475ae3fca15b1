package dev.headgate.engine;

import dev.headgate.engine.connect.LedgerAudit;
import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.connect.Orphans;
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
import dev.headgate.engine.governor.Words;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.recording.Recording;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.WhenExhausted;
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

/** Implements {@link Pool}: the gate before HikariCP, the meters behind it, the governor beside it. */
final class ManagedPool implements Pool, GovernedPool {

    /** What has not said goodbye to the server by then is cut. */
    private static final long CLOSING_PATIENCE_NANOS = 1_000_000_000L;

    /** A database that has answered so lately is there, whatever its prober says. */
    private static final long HEARD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String domain;
    private final ManagedDatabase database;
    private final Time time;
    private final Governor governor;
    private final Supervisor supervisor;
    private final Gate gate;
    private final PoolMeter meters = new PoolMeter();
    private final Occupancy occupancy;
    private final LeaseRecorder leases;
    private final Opener opener;
    private final Reservoir reservoir;
    private final Lending lending;
    private final Map<String, Raised> raised = new ConcurrentHashMap<>();

    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    ManagedPool(
            String domain,
            ManagedDatabase database,
            Target target,
            Time time,
            SocketLedger ledger,
            Outage outage,
            Orphans orphans,
            Governor governor,
            LeaseRecorder leases,
            Supervisor supervisor,
            ScheduledExecutorService housekeeping) {
        this.domain = domain;
        this.database = database;
        this.time = time;
        this.governor = governor;
        this.supervisor = supervisor;
        this.leases = leases;
        // there are no permits until the governor's first step; requests wait for it
        Rules opening = new Rules(Rules.Passage.OPEN, WhenExhausted.queue(30_000, Integer.MAX_VALUE), false);
        this.gate = new Gate(time, opening, governor::wake);
        Refusals refusals = new Refusals(time);
        this.occupancy = new Occupancy(gate, meters, refusals, time);
        this.opener = new Opener(domain, target, time, ledger, meters, outage, orphans, governor::wake);
        this.reservoir =
                new Reservoir("headgate-" + domain, opener, Math.max(100, target.budget()), supervisor, housekeeping);
        LeaseFailures failures =
                new LeaseFailures(domain, gate, opener, reservoir, governor, refusals, leases, time, closing::get);
        this.lending = new Lending(gate, reservoir, failures, leases, time);
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
        return lending.take(request, false, false);
    }

    @Override
    public RelayLease relay(LeaseRequest request) throws LeaseException {
        return lending.take(request, true, false);
    }

    @Override
    public CompletionStage<Lease> acquireAsync(LeaseRequest request) {
        return AsyncRequest.start(lending, this::inBackground, request);
    }

    /** Does what may block, for a caller that may not: on a supervised virtual thread. */
    private void inBackground(Runnable work) {
        Thread _ = supervisor.start("headgate-acquire", Thread.ofVirtual().name(domain, 0), work::run);
    }

    @Override
    public Place admit(LeaseRequest request) throws LeaseException {
        try {
            gate.enter();
        } catch (Refusal refusal) {
            throw lending.failures().refused(request, refusal);
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
            return lending.take(request, false, true);
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
        return RelayRequest.start(lending, this::inBackground, request, executor, listener);
    }

    @Override
    public CompletionStage<Void> swap(PolicySet set) {
        return governor.swap(domain, set);
    }

    @Override
    public CompletionStage<Void> unjudged(String message) {
        return governor.unjudged(domain, message);
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
    public void raise(String code, PoolStatus.Severity severity, Words words) {
        raised.merge(code, new Raised(severity, words, time.now()), Raised::again);
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
    public long turnedAway() {
        return occupancy.turnedAwayTotal();
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

    Lending lending() {
        return lending;
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
        lending.resize(connections);
    }

    @Override
    public void tidy() {
        lending.bound();
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
        leases.windowEnded(gate.places());
        return meters.drain(nowNanos);
    }

    @Override
    public long leasesTotal() {
        return meters.leasesTotal();
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

    /** As {@link Reservoir#closeLost}. */
    void closeLost() {
        reservoir.closeLost();
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

    /**
     * Ends every lease and its connection, and fails requests that wait for a connection. Does not block. HikariCP is shut down
     * later: it would end the connections of leases too, and nobody would find these leases any more.
     */
    void cut() {
        reservoir.stopLending();
        opener.cut();
    }

    /** Closes every connection; blocks until they have ended, {@value #CLOSING_PATIENCE_NANOS} ns at most. */
    void close() {
        leases.close();
        reservoir.close();
        opener.close(CLOSING_PATIENCE_NANOS);
    }
}
