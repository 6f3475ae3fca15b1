package dev.headgate.server.metrics;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.server.feed.Listener;
import dev.headgate.server.wire.WireClients;
import dev.headgate.wire.ArrivalStatus;
import dev.headgate.wire.ClientStatus;
import dev.headgate.wire.LoopStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The wire port, read once a second: its clients by domain and state, those that have not logged in, and its loops. A loop's label is one of a few names.
 */
@Component
class WireMetrics implements MeterBinder, Listener {

    private static final int TURNS_PER_LOOK = 20;
    private static final List<String> STATES = List.of("idle", "waiting", "active");

    private final Supplier<Collection<Database>> fleet;
    private final Supplier<List<ClientStatus>> connected;
    private final Supplier<List<LoopStatus>> loops;
    private final Supplier<ArrivalStatus> arrivals;
    private volatile @Nullable MeterRegistry registry;
    private volatile @Nullable MultiGauge clients;
    private volatile @Nullable MultiGauge statements;
    private final Map<String, LoopStatus> shown = new ConcurrentHashMap<>();

    /** Clients by domain and state, as last read. */
    private volatile Map<String, Map<String, Long>> counted = Map.of();

    /** The prepared statements that the clients of each domain keep, as last read. */
    private volatile Map<String, Long> kept = Map.of();

    /** The domains that have their series. */
    private List<Domain> known = List.of();

    private record Domain(String name, String database) {}

    @Autowired
    WireMetrics(Engine engine, WireClients wire) {
        this(engine::databases, wire::connected, wire::loops, wire::arrivals);
    }

    WireMetrics(
            Supplier<Collection<Database>> fleet,
            Supplier<List<ClientStatus>> connected,
            Supplier<List<LoopStatus>> loops,
            Supplier<ArrivalStatus> arrivals) {
        this.arrivals = arrivals;
        this.fleet = fleet;
        this.connected = connected;
        this.loops = loops;
    }

    @Override
    public void bindTo(MeterRegistry to) {
        registry = to;
        clients = MultiGauge.builder("headgate.wire.clients")
                .description("Clients of the wire port that are connected")
                .register(to);
        statements = MultiGauge.builder("headgate.wire.statements")
                .description("Prepared statements that the clients of the wire port keep")
                .register(to);
        Gauge.builder("headgate.wire.arriving", arrivals, of -> of.get().present())
                .description("Clients of the wire port that have connected and not logged in")
                .register(to);
        FunctionCounter.builder(
                        "headgate.wire.gave.way", arrivals, of -> of.get().gaveWay())
                .description(
                        "Clients of the wire port that were ended before they had logged in, to make room for others")
                .register(to);
        FunctionCounter.builder(
                        "headgate.wire.turned.away", arrivals, of -> of.get().refused())
                .description(
                        "Clients that the wire port has not taken, because their address had too many that had not logged in")
                .register(to);
    }

    @Override
    public void turn(long number, Instant now) {
        MultiGauge to = clients;
        MultiGauge prepared = statements;
        if (to != null && prepared != null && number % TURNS_PER_LOOK == 0) {
            List<ClientStatus> present = connected.get();
            kept = present.stream()
                    .collect(Collectors.groupingBy(
                            ClientStatus::domain, Collectors.summingLong(ClientStatus::statements)));
            counted = present.stream()
                    .collect(Collectors.groupingBy(
                            ClientStatus::domain, Collectors.groupingBy(ClientStatus::state, Collectors.counting())));
            List<Domain> domains = domains();
            if (!domains.equals(known)) {
                to.register(rows(domains), true);
                prepared.register(rowsOfStatements(domains), true);
                known = domains;
            }
        }
        MeterRegistry all = registry;
        if (all != null && number % TURNS_PER_LOOK == 0) {
            loops.get().forEach(loop -> {
                if (shown.put(loop.name(), loop) == null) {
                    register(all, loop.name());
                }
            });
        }
    }

    private void register(MeterRegistry to, String loop) {
        Gauge.builder("headgate.wire.loop.stalled", shown, of -> seconds(Objects.requireNonNull(of.get(loop))))
                .description("How long a loop of the wire port has not turned; 0 if it turns")
                .baseUnit("seconds")
                .tag("loop", loop)
                .register(to);
        FunctionCounter.builder(
                        "headgate.wire.loop.turns",
                        shown,
                        of -> Objects.requireNonNull(of.get(loop)).turns())
                .description("Turns of a loop of the wire port")
                .tag("loop", loop)
                .register(to);
    }

    private static double seconds(LoopStatus loop) {
        return loop.stalled().toMillis() / 1e3;
    }

    private List<Domain> domains() {
        List<Domain> domains = new ArrayList<>();
        for (Database database : fleet.get()) {
            for (Pool pool : database.pools()) {
                domains.add(new Domain(pool.domain(), database.name()));
            }
        }
        return domains;
    }

    /** A series for every domain and state, also with a count of 0, so that no series ends when its last client leaves. */
    private List<MultiGauge.Row<?>> rows(List<Domain> domains) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        for (Domain domain : domains) {
            for (String state : STATES) {
                Tags tags = Tags.of("domain", domain.name(), "database", domain.database(), "state", state);
                rows.add(MultiGauge.Row.of(tags, this, it -> it.count(domain.name(), state)));
            }
        }
        return rows;
    }

    private List<MultiGauge.Row<?>> rowsOfStatements(List<Domain> domains) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        for (Domain domain : domains) {
            Tags tags = Tags.of("domain", domain.name(), "database", domain.database());
            rows.add(MultiGauge.Row.of(tags, this, it -> it.kept.getOrDefault(domain.name(), 0L)));
        }
        return rows;
    }

    private long count(String domain, String state) {
        return counted.getOrDefault(domain, Map.of()).getOrDefault(state, 0L);
    }
}
