package dev.headgate.server.metrics;

import dev.headgate.engine.Database;
import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Health;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.server.feed.Listener;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Meters for every pool and database, created and removed with them. Once a second each pool's status is read once; a
 * scrape shows that reading, so that its figures fit together. Percentiles cover the last ten seconds.
 */
@Component
class PoolMetrics implements MeterBinder, Listener {

    private static final int TURNS_PER_LOOK = 20;

    /** The meters of one pool or database and the status that they show. */
    private static final class Shown<T, S> {
        final T thing;
        final List<Meter> meters = new ArrayList<>();
        volatile S status;

        Shown(T thing, S status) {
            this.thing = thing;
            this.status = status;
        }
    }

    private final Supplier<Collection<Database>> fleet;
    private final Map<String, Shown<Pool, PoolStatus>> pools = new HashMap<>();
    private final Map<String, Shown<Database, DatabaseStatus>> databases = new HashMap<>();
    private volatile @Nullable MeterRegistry registry;

    @Autowired
    PoolMetrics(Engine engine) {
        this(engine::databases);
    }

    PoolMetrics(Supplier<Collection<Database>> fleet) {
        this.fleet = fleet;
    }

    @Override
    public void bindTo(MeterRegistry to) {
        registry = to;
    }

    @Override
    public void turn(long number, Instant now) {
        MeterRegistry to = registry;
        if (to != null && number % TURNS_PER_LOOK == 0) {
            look(to);
        }
    }

    private void look(MeterRegistry to) {
        Map<String, Pool> presentPools = new HashMap<>();
        Map<String, Database> presentDatabases = new HashMap<>();
        for (Database database : fleet.get()) {
            presentDatabases.put(database.name(), database);
            database.pools().forEach(pool -> presentPools.put(pool.domain(), pool));
        }
        forget(to, pools, presentPools);
        forget(to, databases, presentDatabases);
        presentPools.forEach((name, pool) -> {
            Shown<Pool, PoolStatus> shown = pools.get(name);
            if (shown == null) {
                pools.put(name, register(to, pool));
            } else {
                shown.status = pool.status();
            }
        });
        presentDatabases.forEach((name, database) -> {
            Shown<Database, DatabaseStatus> shown = databases.get(name);
            if (shown == null) {
                databases.put(name, register(to, database));
            } else {
                shown.status = database.status();
            }
        });
    }

    /** A pool that was closed and reopened under the same name counts as a new one. */
    private static <T, S> void forget(MeterRegistry to, Map<String, Shown<T, S>> known, Map<String, T> present) {
        known.entrySet().removeIf(entry -> {
            boolean gone = !entry.getValue().thing.equals(present.get(entry.getKey()));
            if (gone) {
                entry.getValue().meters.forEach(to::remove);
            }
            return gone;
        });
    }

    private static Shown<Database, DatabaseStatus> register(MeterRegistry to, Database database) {
        Shown<Database, DatabaseStatus> shown = new Shown<>(database, database.status());
        Tags tags = Tags.of("database", database.name());
        gauge(to, shown, "headgate.database.open", tags, "Connections open, counted at the sockets", s -> s.open());
        gauge(to, shown, "headgate.database.budget", tags, "Connections that may be open", s -> s.budget());
        gauge(
                to,
                shown,
                "headgate.database.reachable",
                tags,
                "1 if it can be reached",
                s -> s.unreachable().isEmpty() ? 1 : 0);
        gauge(
                to,
                shown,
                "headgate.database.severity",
                tags,
                "Its state, as every page shows it: 0 fine, 1 a notice, 2 a warning, 3 critical",
                s -> grade(s.health().severity()));
        shown.meters.add(FunctionTimer.builder(
                        "headgate.governor.step",
                        shown,
                        it -> it.status.steps().steps(),
                        it -> it.status.steps().totalNanos(),
                        TimeUnit.NANOSECONDS)
                .tags(tags)
                .description("Steps of the governor")
                .register(to));
        gauge(
                to,
                shown,
                "headgate.governor.step.longest.seconds",
                tags,
                "The governor's longest step within the last ten to twenty seconds",
                s -> s.steps().longestNanos() / 1e9);
        return shown;
    }

    private static Shown<Pool, PoolStatus> register(MeterRegistry to, Pool pool) {
        Shown<Pool, PoolStatus> shown = new Shown<>(pool, pool.status());
        Tags tags = Tags.of("domain", pool.domain(), "database", pool.database().name());
        gauge(to, shown, "headgate.pool.size", tags, "Connections held or being opened", PoolStatus::size);
        gauge(to, shown, "headgate.pool.in.use", tags, "Connections on lease", PoolStatus::inUse);
        gauge(to, shown, "headgate.pool.idle", tags, "Connections open and free", PoolStatus::idle);
        gauge(to, shown, "headgate.pool.waiting", tags, "Requests without a lease", PoolStatus::waiting);
        gauge(to, shown, "headgate.pool.floor", tags, "Connections kept open when idle", PoolStatus::floor);
        gauge(
                to,
                shown,
                "headgate.pool.ceiling",
                tags,
                "Connections its policies allow",
                s -> Math.min(s.ceiling(), s.budget()));
        gauge(to, shown, "headgate.pool.target", tags, "Connections the allocator gave", PoolStatus::target);
        gauge(
                to,
                shown,
                "headgate.pool.degraded",
                tags,
                "1 if a policy fails",
                s -> s.degraded().isPresent() ? 1 : 0);
        gauge(
                to,
                shown,
                "headgate.pool.severity",
                tags,
                "Its state, as every page shows it: 0 fine, 1 a notice, 2 a warning, 3 critical",
                s -> grade(Health.of(s).severity()));
        gauge(
                to,
                shown,
                "headgate.pool.alarms",
                tags,
                "Alarms that stand, without notices",
                s -> s.alarms().stream()
                        .filter(alarm -> alarm.severityNow().compareTo(PoolStatus.Severity.NOTICE) > 0)
                        .count());
        counter(
                to,
                shown,
                "headgate.pool.leases",
                tags,
                "Leases given",
                s -> s.totals().leases());
        counter(
                to,
                shown,
                "headgate.pool.requests",
                tags,
                "Requests the server answered",
                s -> s.totals().requests());
        counter(
                to,
                shown,
                "headgate.pool.errors",
                tags,
                "Requests the server answered with an error",
                s -> s.totals().errors());
        counter(
                to,
                shown,
                "headgate.pool.refused",
                tags,
                "Requests refused a lease",
                s -> s.totals().refused());
        counter(
                to,
                shown,
                "headgate.pool.timed.out",
                tags,
                "Requests that waited too long for a lease",
                s -> s.totals().timedOut());
        summary(to, shown, "headgate.pool.latency", tags, "How long requests took", PoolStatus::latency);
        summary(to, shown, "headgate.pool.wait", tags, "How long requests waited for a lease", PoolStatus::waits);
        return shown;
    }

    private static double grade(PoolStatus.Severity severity) {
        return switch (severity) {
            case FINE -> 0;
            case NOTICE -> 1;
            case WARNING -> 2;
            case CRITICAL -> 3;
        };
    }

    private static <T> void summary(
            MeterRegistry to,
            Shown<T, PoolStatus> shown,
            String name,
            Tags tags,
            String what,
            Function<PoolStatus, LatencySummary> which) {
        percentile(
                to,
                shown,
                name,
                tags.and("quantile", "0.5"),
                what,
                s -> which.apply(s).p50Nanos(),
                which);
        percentile(
                to,
                shown,
                name,
                tags.and("quantile", "0.95"),
                what,
                s -> which.apply(s).p95Nanos(),
                which);
        percentile(
                to,
                shown,
                name,
                tags.and("quantile", "0.99"),
                what,
                s -> which.apply(s).p99Nanos(),
                which);
        percentile(
                to,
                shown,
                name + ".mean",
                tags,
                what + ", mean",
                s -> which.apply(s).meanNanos(),
                which);
        percentile(
                to,
                shown,
                name + ".max",
                tags,
                what + ", longest",
                s -> which.apply(s).maxNanos(),
                which);
    }

    private static <T> void percentile(
            MeterRegistry to,
            Shown<T, PoolStatus> shown,
            String name,
            Tags tags,
            String what,
            ToDoubleFunction<PoolStatus> nanos,
            Function<PoolStatus, LatencySummary> which) {
        shown.meters.add(Gauge.builder(
                        name,
                        shown,
                        it -> which.apply(it.status).count() == 0 ? Double.NaN : nanos.applyAsDouble(it.status) / 1e9)
                .tags(tags)
                .baseUnit("seconds")
                .description(what + ", over the last 10 s")
                .register(to));
    }

    private static <T, S> void gauge(
            MeterRegistry to, Shown<T, S> shown, String name, Tags tags, String what, ToDoubleFunction<S> figure) {
        shown.meters.add(Gauge.builder(name, shown, it -> figure.applyAsDouble(it.status))
                .tags(tags)
                .description(what)
                .register(to));
    }

    private static <T> void counter(
            MeterRegistry to,
            Shown<T, PoolStatus> shown,
            String name,
            Tags tags,
            String what,
            ToDoubleFunction<PoolStatus> figure) {
        shown.meters.add(FunctionCounter.builder(name, shown, it -> figure.applyAsDouble(it.status))
                .tags(tags)
                .description(what)
                .register(to));
    }
}
