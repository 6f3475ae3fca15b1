package dev.headgate.server.feed;

import dev.headgate.engine.Database;
import dev.headgate.engine.Lease;
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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import javax.sql.DataSource;

/** A pool that shows what a test puts in and lends nothing. */
public final class FakePool implements Pool {

    private final String domain;
    private final Database database;
    private volatile PoolStatus status;

    /** Alarms that were raised and not cleared. */
    public final Map<String, Words> raised = new ConcurrentHashMap<>();

    private volatile List<ConnectionStatus> connections = List.of();

    /** What {@link #turnedAway} answers. */
    public volatile long turnedAway;

    public FakePool(String domain, Database database) {
        this.domain = domain;
        this.database = database;
        this.status = Samples.status(domain, database.name(), 5);
    }

    public void show(PoolStatus now) {
        status = now;
    }

    public void show(List<ConnectionStatus> now) {
        connections = now;
    }

    @Override
    public String domain() {
        return domain;
    }

    @Override
    public Database database() {
        return database;
    }

    @Override
    public void raise(String code, PoolStatus.Severity severity, Words words) {
        raised.put(code, words);
    }

    @Override
    public void clear(String code) {
        raised.remove(code);
    }

    @Override
    public PoolStatus status() {
        return status;
    }

    @Override
    public List<ConnectionStatus> connections() {
        return connections;
    }

    @Override
    public PolicySet policies() {
        return PolicySet.empty();
    }

    @Override
    public Lease acquire(LeaseRequest request) {
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
        return turnedAway;
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
    public CompletionStage<Void> pause() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resume() {
        return CompletableFuture.completedFuture(null);
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
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> drain() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public DataSource dataSource(String holder, SessionReset reset) {
        throw new UnsupportedOperationException();
    }
}
