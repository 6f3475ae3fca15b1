package dev.headgate.server.live;

import dev.headgate.engine.Database;
import dev.headgate.engine.Pool;
import dev.headgate.server.api.ConnectionColumns;
import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.history.History;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Collects everything that a subscription covers. Called on the client's thread when the snapshot is sent, and on it each part is
 * made as it is written: of many domains, the seconds of one are in memory at a time. However many clients want them, the seconds of
 * a few domains are collected at once, which leaves half of the processors to others. Safe for use by several threads.
 */
@Component
class Snapshots {

    private static final Duration HISTORY = Duration.ofMinutes(5);

    static final int AT_ONCE = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    private final Semaphore turns = new Semaphore(AT_ONCE, true);
    private final Fleet fleet;
    private final History history;
    private final RecentEvents recent;
    private final Summaries summaries;

    Snapshots(Fleet fleet, History history, RecentEvents recent, Summaries summaries) {
        this.fleet = fleet;
        this.history = history;
        this.recent = recent;
        this.summaries = summaries;
    }

    Frame.Snapshot of(Subscription subscription, String node, long seq, Instant time) {
        List<Pool> all = fleet.pools();
        List<Pool> pools =
                all.stream().filter(pool -> subscription.covers(pool.domain())).toList();
        Map<String, Deferred<HistoryJson>> histories = new LinkedHashMap<>();
        Map<String, Deferred<ConnectionColumns>> connections = new LinkedHashMap<>();
        for (Pool pool : all) {
            if (subscription.coversSeconds(pool.domain())) {
                history.later(pool.domain(), HISTORY)
                        .ifPresent(past -> histories.put(pool.domain(), new Deferred<>(inTurn(past))));
            }
            if (subscription.coversConnections(pool.domain())) {
                connections.put(pool.domain(), new Deferred<>(() -> ConnectionColumns.of(pool.connections())));
            }
        }
        List<Deferred<DatabaseJson>> databases = fleet.databases().stream()
                .filter(database -> subscription.allDatabases()
                        || database.pools().stream().anyMatch(pool -> subscription.covers(pool.domain())))
                .sorted(Comparator.comparing(Database::name))
                .map(database -> new Deferred<>(() -> subscription.summary() == null
                        ? DatabaseJson.of(database)
                        : DatabaseJson.of(database, summaries.of(database))))
                .toList();
        return new Frame.Snapshot(
                "snapshot",
                node,
                seq,
                time,
                pools.stream()
                        .map(pool -> new Deferred<>(() -> PoolJson.of(pool.status())))
                        .toList(),
                databases,
                histories,
                connections,
                recent.of(subscription),
                subscription.summary() == null ? null : summaries.of(all, subscription.summary()));
    }

    /** Nobody keeps a turn while it sends, so a client that does not read holds nobody up. */
    <T> Supplier<T> inTurn(Supplier<T> make) {
        return () -> {
            turns.acquireUninterruptibly();
            try {
                return make.get();
            } finally {
                turns.release();
            }
        };
    }
}
