package dev.headgate.server.feed;

import dev.headgate.engine.Database;
import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.LedgerAudit;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.ServerWait;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.StepTimes;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;

/** A database whose pools a test adds and removes. */
public final class FakeDatabase implements Database {

    public static final String PASSWORD = "do-not-show-this-password";

    private final Map<String, Pool> pools = new ConcurrentSkipListMap<>();
    private volatile Target target;
    private volatile ServerFacts facts =
            new ServerFacts("18.6", 97, 4, new ServerFacts.Server("10.0.0.1:5432", Instant.EPOCH, false));
    private volatile Optional<DatabaseStatus.Unreachable> unreachable = Optional.empty();
    private volatile List<RaisedAlarm> alarms = List.of();

    public FakeDatabase(String name, int budget) {
        this.target = Target.of(name, "127.0.0.1", 5432, "demo", "headgate", PASSWORD, budget);
    }

    public FakePool add(String domain) {
        FakePool pool = new FakePool(domain, this);
        pools.put(domain, pool);
        return pool;
    }

    public void remove(String domain) {
        pools.remove(domain);
    }

    /** The alarms of the database itself. */
    public void show(RaisedAlarm... raised) {
        alarms = List.of(raised);
    }

    public void unreachable(DatabaseStatus.Unreachable why) {
        unreachable = Optional.of(why);
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
        return new DatabaseStatus(
                target.name(),
                target.budget(),
                7,
                LedgerAudit.Figures.NONE,
                new StepTimes.Figures(1_000, 500_000_000, 4_000_000),
                unreachable,
                List.of(),
                alarms,
                facts());
    }

    @Override
    public Optional<ServerFacts> facts() {
        return Optional.empty();
    }

    @Override
    public Collection<Pool> pools() {
        return List.copyOf(pools.values());
    }

    @Override
    public Pool open(String domain, PolicySet policies) {
        return add(domain);
    }

    @Override
    public CompletionStage<Void> close(String domain) {
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
    public CompletionStage<List<Answer>> ask(PolicySet candidate) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PolicySet policies() {
        return PolicySet.empty();
    }

    @Override
    public void retarget(Target other) {
        target = other;
    }

    @Override
    public ServerFacts probe() {
        return facts;
    }

    /** What {@link #waits} answers. */
    public volatile List<ServerWait> waits = List.of();

    @Override
    public List<ServerWait> waits() {
        return waits;
    }
}
