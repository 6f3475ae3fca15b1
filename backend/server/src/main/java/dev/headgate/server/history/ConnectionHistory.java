package dev.headgate.server.history;

import dev.headgate.engine.Pool;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.server.api.Millis;
import dev.headgate.server.api.Second;
import dev.headgate.server.limits.Holders;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The last five minutes of every connection, so that a page which opens does not begin empty. Kept in memory, which is reserved from the
 * account: without room the oldest seconds of the domain go. Written on the feed's thread, read by any.
 */
@Component
class ConnectionHistory implements SecondListener {

    static final int SECONDS = 300;

    private final MemoryAccount account;
    private final Map<String, Kept> domains = new ConcurrentHashMap<>();

    ConnectionHistory(MemoryAccount account) {
        this.account = account;
    }

    /** The connections of one second. The columns have one entry per connection. */
    private static final class Entry {

        private final Instant end;
        private final String[] id;
        private final double[] p99Ms;
        private final double[] meanMs;
        private final double[] busy;

        Entry(Instant end, List<ConnectionStatus> all) {
            this.end = end;
            this.id = all.stream().map(ConnectionStatus::id).toArray(String[]::new);
            this.p99Ms = column(all, second -> Millis.of(second.p99Nanos()));
            this.meanMs = column(all, second -> Millis.of(second.meanNanos()));
            this.busy = column(all, second -> Millis.rate(second.busy()));
        }

        private static double[] column(List<ConnectionStatus> all, ToDoubleFunction<LatencySummary> figure) {
            return all.stream()
                    .map(ConnectionStatus::second)
                    .mapToDouble(figure)
                    .toArray();
        }

        /** With the headers of its arrays. The names are the connections' own. */
        long bytes() {
            return 160 + 28L * id.length;
        }
    }

    private static final class Kept {
        private final Pool pool;
        private final Share memory;
        private final ArrayDeque<Entry> entries = new ArrayDeque<>();

        Kept(Pool pool, Share memory) {
            this.pool = pool;
            this.memory = memory;
        }

        @SuppressWarnings("ReferenceEquality") // a domain may be deleted and created again under its name
        boolean isOf(Pool other) {
            return pool == other;
        }

        synchronized void add(Entry entry) {
            while (!entries.isEmpty() && !entries.getFirst().end.isAfter(entry.end.minusSeconds(SECONDS))) {
                dropOldest();
            }
            while (!memory.tryReserve(entry.bytes())) {
                if (entries.isEmpty()) {
                    return;
                }
                dropOldest();
            }
            entries.addLast(entry);
        }

        private void dropOldest() {
            memory.release(entries.removeFirst().bytes());
        }

        synchronized List<Entry> entries() {
            return List.copyOf(entries);
        }

        synchronized boolean endedBefore(Instant instant) {
            return entries.isEmpty() || entries.getLast().end.isBefore(instant);
        }
    }

    @Override
    public void second(Pool pool, Second second) {
        Instant end = second.time();
        domains.compute(pool.domain(), (domain, before) -> {
                    if (before != null && before.isOf(pool)) {
                        return before;
                    }
                    if (before != null) {
                        before.memory.close();
                    }
                    return new Kept(pool, account.share(Holders.HISTORY, domain));
                })
                .add(new Entry(end, pool.connections()));
        if (end.getEpochSecond() % 60 == 0) {
            forget(end.minusSeconds(SECONDS));
        }
    }

    /** Forgets the domains that are gone. */
    private void forget(Instant before) {
        domains.values().removeIf(kept -> {
            boolean gone = kept.endedBefore(before);
            if (gone) {
                kept.memory.close();
            }
            return gone;
        });
    }

    /** The last five minutes of a domain's connections; nothing of a domain that has not been measured. Does not block. */
    ConnectionHistoryJson of(String domain) {
        Kept kept = domains.get(domain);
        List<Entry> entries = kept == null ? List.of() : kept.entries();
        return new ConnectionHistoryJson(
                entries.stream().map(entry -> entry.end).toList(), rows(entries));
    }

    /** How many figures an answer has, about. */
    long figures(String domain) {
        Kept kept = domains.get(domain);
        return kept == null
                ? 0
                : 3L
                        * kept.entries().stream()
                                .mapToInt(entry -> entry.id.length)
                                .sum();
    }

    private static List<ConnectionHistoryJson.Row> rows(List<Entry> entries) {
        Map<String, Integer> places = new LinkedHashMap<>();
        entries.forEach(entry -> Arrays.stream(entry.id).forEach(id -> places.putIfAbsent(id, places.size())));
        List<List<@Nullable Double>> p99 = column(entries, places, entry -> entry.p99Ms);
        List<List<@Nullable Double>> mean = column(entries, places, entry -> entry.meanMs);
        List<List<@Nullable Double>> busy = column(entries, places, entry -> entry.busy);
        List<ConnectionHistoryJson.Row> rows = new ArrayList<>(places.size());
        places.forEach((id, place) ->
                rows.add(new ConnectionHistoryJson.Row(id, p99.get(place), mean.get(place), busy.get(place))));
        return rows;
    }

    private static List<List<@Nullable Double>> column(
            List<Entry> entries, Map<String, Integer> places, Function<Entry, double[]> figure) {
        List<List<@Nullable Double>> column = new ArrayList<>(places.size());
        for (int place = 0; place < places.size(); place++) {
            column.add(new ArrayList<>(Collections.nCopies(entries.size(), null)));
        }
        for (int second = 0; second < entries.size(); second++) {
            Entry entry = entries.get(second);
            double[] values = figure.apply(entry);
            for (int i = 0; i < values.length; i++) {
                column.get(Objects.requireNonNull(places.get(entry.id[i]))).set(second, values[i]);
            }
        }
        return column;
    }
}
