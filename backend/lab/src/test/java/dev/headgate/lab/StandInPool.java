package dev.headgate.lab;

import dev.headgate.engine.Database;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Occupancy;
import dev.headgate.engine.Place;
import dev.headgate.engine.Pool;
import dev.headgate.engine.RelayLease;
import dev.headgate.engine.RelayListener;
import dev.headgate.engine.SessionReset;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.governor.ShadowStatus;
import dev.headgate.engine.governor.Words;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.recording.Recording;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/** A pool of a few given connections that knows how to lend them, and nothing else. */
public final class StandInPool implements Pool {

    private final BlockingQueue<Connection> free;

    /** How often each holder has had a lease. */
    public final ConcurrentHashMap<String, LongAdder> leases = new ConcurrentHashMap<>();

    public StandInPool(Collection<Connection> connections) {
        free = new ArrayBlockingQueue<>(connections.size(), true, connections);
    }

    @Override
    public Lease acquire(LeaseRequest request) throws LeaseException {
        long begin = System.nanoTime();
        try {
            Connection connection = free.poll(20, TimeUnit.SECONDS);
            if (connection == null) {
                throw refused(LeaseException.Cause.TIMED_OUT);
            }
            leases.computeIfAbsent(request.holder(), holder -> new LongAdder()).increment();
            return new Loan(connection, System.nanoTime() - begin);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused(LeaseException.Cause.INTERRUPTED);
        }
    }

    static LeaseException refused(LeaseException.Cause cause) {
        return new LeaseException(
                cause,
                new LeaseException.Situation("stand-in", 1, 1, 1, 0, 0, 1, "", "", Double.POSITIVE_INFINITY),
                null);
    }

    private final class Loan implements Lease {

        private final Connection connection;
        private final long waitedNanos;
        private final AtomicBoolean ended = new AtomicBoolean();

        Loan(Connection connection, long waitedNanos) {
            this.connection = connection;
            this.waitedNanos = waitedNanos;
        }

        @Override
        public Connection connection() {
            return connection;
        }

        @Override
        public String connectionId() {
            return "stand-in";
        }

        @Override
        public long waitedNanos() {
            return waitedNanos;
        }

        @Override
        public String holder() {
            return "stand-in";
        }

        @Override
        public boolean hasEnded() {
            return ended.get();
        }

        @Override
        public void close() {
            if (ended.compareAndSet(false, true)) {
                free.add(connection);
            }
        }

        @Override
        public void discard() {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public String domain() {
        return "stand-in";
    }

    @Override
    public Database database() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Lease> acquireAsync(LeaseRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RelayLease relay(LeaseRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Runnable relay(LeaseRequest request, Executor executor, RelayListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long turnedAway() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Occupancy occupancy() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Place admit(LeaseRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> unjudged(String message) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> swap(PolicySet set) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Recording recording(Duration length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int recorded(Duration length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> shadow(PolicySet set) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> unshadow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<ShadowStatus> shadowStatus() {
        return Optional.empty();
    }

    @Override
    public CompletionStage<List<Answer>> ask(PolicySet candidate) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PolicySet policies() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> pause() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> resume() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> tryOut(int size, Duration atMost) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> endTrial() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> flush() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> drain() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void raise(String code, PoolStatus.Severity severity, Words words) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void clear(String code) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PoolStatus status() {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<ConnectionStatus> connections() {
        throw new UnsupportedOperationException();
    }

    @Override
    public DataSource dataSource(String holder, SessionReset reset) {
        throw new UnsupportedOperationException();
    }
}
